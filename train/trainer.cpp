#include "train/trainer.h"

#include <utility>

#include "core/errors.h"
#include "core/stop_watch.h"
#include "model/ops/projected_loss.h"
#include "train/evaluate.h"
#include "train/finite.h"

namespace tinylm {
namespace {

constexpr std::int64_t kMostSkippedInARow = 100;  // then it is the weights and not a batch

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
  if (options_.minutes > 0.0) {
    if (state_.paces.empty()) state_.paces.push_back(fixed_pace(options_));
    pace_keeper_.emplace(60.0 * options_.minutes, elapsed_before_s);
  }
  bool ends = state_.step >= last_step();
  while (!ends) {
    const StopWatch step_time;
    StepReport report = train_step();
    const double step_s = step_time.seconds();
    report.tokens_per_s = static_cast<double>(options_.batch * model_->config().context) / step_s;
    if (pace_keeper_) pace_keeper_->add_step(step_s);
    const StopWatch evaluation_time;
    evaluate_if_due(report);
    state_.elapsed_s = elapsed_before_s + session.seconds();
    if (pace_keeper_ && report.evaluated && state_.step < last_step())
      state_.paces.push_back(pace_keeper_->choose(pace(), state_.step, state_.elapsed_s, evaluation_time.seconds()));
    ends = state_.step >= last_step() || state_.stopped_early || stop();
    report.total_steps = last_step();
    report.ends = ends;
    report.state = state_;
    for (const auto& observer : observers_) observer->on_step(report);
  }
  return state_;
}

StepReport Trainer::train_step() {
  StepReport report;
  report.step = state_.step + 1;
  report.train_loss_nats = backpropagate(report.step);
  report.gradient_norm = optimizer_->gradient_norm();
  report.learning_rate = learning_rate_at(options_, pace(), report.step);
  const std::string fault = step_fault(report.train_loss_nats, report.gradient_norm, options_.clip);
  if (fault.empty()) {
    optimizer_->step(report.step, report.learning_rate, clipping_scale(report.gradient_norm, options_.clip));
    state_.skipped_in_a_row = 0;
  } else {
    skip_step(fault, report);
  }
  state_.step = report.step;
  state_.tokens_seen += options_.batch * model_->config().context;
  return report;
}

/// Leaves the gradient of `step` in the parameters and gives its loss, in nats a token.
double Trainer::backpropagate(std::int64_t step) {
  const std::int64_t rows = options_.batch / options_.accumulate;
  const std::int64_t first_sample = (step - 1) * options_.batch;
  double loss_nats = 0.0;
  optimizer_->zero_gradients();
  for (std::int64_t i = 0; i < options_.accumulate; ++i) {
    const Batch batch = batches_.samples(first_sample + i * rows, rows);
    batches_.prepare(batch.first_sample + rows, rows);  // the next micro-batch, or the first of the next step
    const DropoutPlan dropout{model_->config().dropout, options_.seed, batch.first_sample};
    const torch::Tensor hidden = model_->hidden(batch.inputs, {.dropout = &dropout});  // [B, T, C]
    const torch::Tensor loss = ops::projected_loss(hidden, model_->output_weight(), batch.targets, model_->ops());
    const torch::Tensor share = loss / options_.accumulate;
    share.backward();
    loss_nats += share.item<double>();
  }
  return loss_nats;
}

void Trainer::skip_step(const std::string& fault, StepReport& report) {
  if (options_.on_nan != "skip") stop_training(report.step, fault, options_);
  ++state_.skipped_steps;
  if (++state_.skipped_in_a_row >= kMostSkippedInARow)
    stop_training(report.step, fault + ", as in the " + std::to_string(kMostSkippedInARow - 1) + " steps before it",
                  options_);
  report.skipped = fault;
}

bool Trainer::evaluation_due() const {
  if (state_.step == last_step()) return true;
  if (pace_keeper_) return state_.step == pace().next_evaluation;
  return options_.eval_every > 0 && state_.step % options_.eval_every == 0;
}

void Trainer::evaluate_if_due(StepReport& report) {
  report.evaluated = evaluation_due();
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
