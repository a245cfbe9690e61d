#include "cli/progress_observer.h"

#include <spdlog/spdlog.h>

#include <cmath>

#include "cli/progress_line.h"
#include "core/numbers.h"

namespace tinylm {
namespace {

constexpr double kSmoothing = 0.95;

double smooth(double mean, double value, bool begun) {
  return begun ? kSmoothing * mean + (1.0 - kSmoothing) * value : value;
}

}  // namespace

void ProgressObserver::on_step(const StepReport& report) {
  if (!report.skipped.empty()) {
    spdlog::warn("step {}: {}; the step is skipped ({} so far)", report.step, report.skipped,
                 report.state.skipped_steps);
  } else {
    smooth_loss_nats_ = smooth(smooth_loss_nats_, report.train_loss_nats, begun_);
    smooth_tokens_per_s_ = smooth(smooth_tokens_per_s_, report.tokens_per_s, begun_);
    begun_ = true;
  }
  if (!begun_) return;
  if (report.evaluated && !std::isnan(report.val_loss_nats)) {
    spdlog::info("step {}: train loss {}, validation loss {} nats/token, gap {:+.4f}{}", report.step,
                 fixed(smooth_loss_nats_, 4), fixed(report.val_loss_nats, 4), report.val_loss_nats - smooth_loss_nats_,
                 report.is_best ? " (best so far)" : "");
  }
  if (report.ends && report.evaluated && !std::isnan(report.val_loss_nats)) {  // what was said last is the end of it
    line_.drop();
    return;
  }
  const double tokens_per_step = static_cast<double>(report.state.tokens_seen) / static_cast<double>(report.step);
  Progress progress;
  progress.step = report.step;
  progress.total_steps = report.total_steps;
  progress.loss_nats = smooth_loss_nats_;
  progress.val_loss_nats = report.state.last_val_loss_nats;
  progress.best_val_loss_nats = report.state.best_val_loss_nats;
  progress.learning_rate = report.learning_rate;
  progress.gradient_norm = report.gradient_norm;
  progress.tokens_per_s = smooth_tokens_per_s_;
  progress.share_of_peak = smooth_tokens_per_s_ / peak_tokens_per_s_;
  progress.left_s = static_cast<double>(report.total_steps - report.step) * tokens_per_step / smooth_tokens_per_s_;
  line_.show(progress_line(progress, line_.columns()));
  if (report.ends) line_.finish();
}

}  // namespace tinylm
