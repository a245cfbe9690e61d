// The training loop: batch, forward, loss, backward, clip, step. Evaluation, saving and reporting stand beside it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "data/batch.h"
#include "model/model.h"
#include "train/observer.h"
#include "train/optim/optimizer.h"
#include "train/options.h"
#include "train/pace.h"
#include "train/schedule.h"

namespace tinylm {

/// Throws WrongUse when options.patience waits for a validation loss but `validation` predicts nothing.
void require_validation(const EvaluationWindows& validation, const TrainOptions& options);

class Trainer {
 public:
  /// Throws as require_validation().
  Trainer(LanguageModel model, std::unique_ptr<Optimizer> optimizer, BatchSource batches, EvaluationWindows validation,
          const TrainOptions& options);

  /// Observers are told in the order of adding, after each step. Metrics come before checkpoints, so that a step that
  /// was saved is in the metrics.
  void add_observer(std::shared_ptr<Observer> observer);
  /// Where to begin: a checkpoint's state; step 0 otherwise. When that run had stopped early, its patience begins anew.
  /// A training that was given minutes begins with a state whose elapsed_s says how many of them are over.
  void start_from(const TrainingState& state);

  /// Trains until last_step(), until patience runs out, or until `stop` says so (after finishing the step). Before a
  /// value that is not finite reaches the weights it throws NotFinite, naming the step and what to try, or with
  /// options.on_nan "skip" goes on without that step, unless a hundred in a row were skipped.
  const TrainingState& run(const std::function<bool()>& stop = [] { return false; });

  const TrainingState& state() const { return state_; }
  /// The step that the training ends with, as far as is known: with minutes each evaluation may change it.
  std::int64_t last_step() const { return pace().last_step; }
  LanguageModel& model() { return model_; }
  Optimizer& optimizer() { return *optimizer_; }

 private:
  Pace pace() const { return pace_of(options_, state_); }
  StepReport train_step();
  double backpropagate(std::int64_t step);
  void skip_step(const std::string& fault, StepReport& report);
  bool evaluation_due() const;
  void evaluate_if_due(StepReport& report);

  LanguageModel model_;
  std::unique_ptr<Optimizer> optimizer_;
  BatchSource batches_;
  EvaluationWindows validation_;
  TrainOptions options_;
  TrainingState state_;
  std::vector<std::shared_ptr<Observer>> observers_;
  std::optional<PaceKeeper> pace_keeper_;  // with options.minutes
};

}  // namespace tinylm
