#include "train/trainer.h"

#include <chrono>
#include <utility>

#include "core/errors.h"
#include "model/ops/projected_loss.h"
#include "train/evaluate.h"
#include "train/finite.h"
#include "train/schedule.h"

namespace tinylm {
namespace {

/// Seconds since it was made.
class StopWatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

void require_validation(const EvaluationWindows& validation, const TrainOptions& options) {
  if (options.patience == 0 || validation.predicted_tokens() > 0) return;
  throw WrongUse("patience is " + std::to_string(options.patience) +
                 ", but there is no validation text to wait for: give --val or --val-fraction, or --patience 0");
}

Trainer::Trainer(LanguageModel model, std::unique_ptr<Optimizer> optimizer, BatchSource batches,
                 EvaluationWindows validation, const TrainOptions& options)
    : model_(std::move(model)),
      optimizer_(std::move(optimizer)),
      batches_(std::move(batches)),
      validation_(std::move(validation)),
      options_(options) {
  require_validation(validation_, options_);
}

void Trainer::add_observer(std::shared_ptr<Observer> observer) {
  observers_.push_back(std::move(observer));
}

void Trainer::start_from(const TrainingState& state) {
  state_ = state;
  if (state_.stopped_early) state_.evaluations_without_gain = 0;
  state_.stopped_early = false;
}

const TrainingState& Trainer::run(const std::function<bool()>& stop) {
  const double elapsed_before_s = state_.elapsed_s;
  const StopWatch session;
  bool ends = state_.step >= options_.steps;
  while (!ends) {
    const StopWatch step_time;
    StepReport report = train_step();
    report.total_steps = options_.steps;
    report.tokens_per_s = static_cast<double>(options_.batch * model_->config().context) / step_time.seconds();
    evaluate_if_due(report);
    state_.elapsed_s = elapsed_before_s + session.seconds();
    ends = state_.step >= options_.steps || state_.stopped_early || stop();
    report.ends = ends;
    report.state = state_;
    for (const auto& observer : observers_) observer->on_step(report);
  }
  return state_;
}

StepReport Trainer::train_step() {
  const std::int64_t step = state_.step + 1;
  const std::int64_t rows = options_.batch / options_.accumulate;
  const std::int64_t first_sample = state_.step * options_.batch;
  double loss_nats = 0.0;

  optimizer_->zero_gradients();
  for (std::int64_t i = 0; i < options_.accumulate; ++i) {
    const Batch batch = batches_.samples(first_sample + i * rows, rows);
    const DropoutPlan dropout{model_->config().dropout, options_.seed, batch.first_sample};
    const torch::Tensor hidden = model_->hidden(batch.inputs, {.dropout = &dropout});  // [B, T, C]
    const torch::Tensor loss = ops::projected_loss(hidden, model_->output_weight(), batch.targets, model_->ops());
    const torch::Tensor share = loss / options_.accumulate;
    share.backward();
    loss_nats += share.item<double>();
  }
  const double norm = optimizer_->gradient_norm();
  require_finite_step(step, loss_nats, norm, options_);
  const double learning_rate = learning_rate_at(options_, step);
  optimizer_->step(step, learning_rate, clipping_scale(norm, options_.clip));

  state_.step = step;
  state_.tokens_seen += options_.batch * model_->config().context;
  StepReport report;
  report.step = step;
  report.train_loss_nats = loss_nats;
  report.gradient_norm = norm;
  report.learning_rate = learning_rate;
  return report;
}

void Trainer::evaluate_if_due(StepReport& report) {
  const bool at_end = state_.step == options_.steps;
  report.evaluated = at_end || (options_.eval_every > 0 && state_.step % options_.eval_every == 0);
  if (!report.evaluated || validation_.predicted_tokens() == 0) return;
  report.val_loss_nats = evaluate(model_, validation_, evaluation_rows(model_->config()));
  require_finite_evaluation(state_.step, report.val_loss_nats, options_);
  state_.last_val_loss_nats = report.val_loss_nats;
  report.is_best = !(report.val_loss_nats >= state_.best_val_loss_nats);  // true also when there is no best yet (NaN)
  if (report.is_best) {
    state_.best_val_loss_nats = report.val_loss_nats;
    state_.best_step = state_.step;
    state_.evaluations_without_gain = 0;
  } else {
    ++state_.evaluations_without_gain;
  }
  state_.stopped_early = options_.patience > 0 && state_.evaluations_without_gain >= options_.patience;
}

}  // namespace tinylm
