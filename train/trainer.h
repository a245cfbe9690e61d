// The training loop: batch, forward, loss, backward, clip, step. Evaluation, saving and reporting stand beside it.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "data/batch.h"
#include "model/model.h"
#include "train/observer.h"
#include "train/optim/optimizer.h"
#include "train/options.h"

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
  void start_from(const TrainingState& state);

  /// Trains until options.steps, until patience runs out, or until `stop` says so (after finishing the step). Throws
  /// NotFinite, naming the step and what to try, before a bad value reaches the weights.
  const TrainingState& run(const std::function<bool()>& stop = [] { return false; });

  const TrainingState& state() const { return state_; }
  LanguageModel& model() { return model_; }
  Optimizer& optimizer() { return *optimizer_; }

 private:
  StepReport train_step();
  void evaluate_if_due(StepReport& report);

  LanguageModel model_;
  std::unique_ptr<Optimizer> optimizer_;
  BatchSource batches_;
  EvaluationWindows validation_;
  TrainOptions options_;
  TrainingState state_;
  std::vector<std::shared_ptr<Observer>> observers_;
};

}  // namespace tinylm
