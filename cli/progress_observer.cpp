#include "cli/progress_observer.h"

#include <spdlog/spdlog.h>

#include <cmath>

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
    last_val_loss_nats_ = report.val_loss_nats;
    has_val_loss_ = true;
    spdlog::info("step {}: train loss {}, validation loss {} nats/token{}", report.step, fixed(smooth_loss_nats_, 4),
                 fixed(report.val_loss_nats, 4), report.is_best ? " (best so far)" : "");
  }
  if (report.ends && report.evaluated && !std::isnan(report.val_loss_nats)) {  // what was said last is the end of it
    line_.drop();
    return;
  }
  const double tokens_per_step = static_cast<double>(report.state.tokens_seen) / static_cast<double>(report.step);
  const double left_s = static_cast<double>(report.total_steps - report.step) * tokens_per_step / smooth_tokens_per_s_;
  std::string text = "step " + std::to_string(report.step) + "/" + std::to_string(report.total_steps) + "  loss " +
                     fixed(smooth_loss_nats_, 3);
  if (has_val_loss_) text += "  val " + fixed(last_val_loss_nats_, 3);
  text += "  " + grouped(std::llround(smooth_tokens_per_s_)) + " tokens/s  " + human_seconds(left_s) + " left";
  line_.show(text);
  if (report.ends) line_.finish();
}

}  // namespace tinylm
