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

/// Mean next-token loss in nats over the whole split, in fixed windows; NaN when nothing can be predicted.
double evaluate(LanguageModel& model, const EvaluationWindows& windows, std::int64_t batch);

class Trainer {
 public:
  Trainer(LanguageModel model, std::unique_ptr<Optimizer> optimizer, BatchSource batches, EvaluationWindows validation,
          const TrainOptions& options);

  /// Observers are told in the order of adding, after each step.
  void add_observer(std::shared_ptr<Observer> observer);
  /// Where to begin: a checkpoint's state; step 0 otherwise.
  void start_from(const TrainingState& state);

  /// Trains until options.steps, until patience runs out, or until `stop` says so (after finishing the step). Throws NotFinite,
  /// naming the step and what to try, before a bad value reaches the weights.
  const TrainingState& run(const std::function<bool()>& stop = [] { return false; });

  LanguageModel& model() { return model_; }
  Optimizer& optimizer() { return *optimizer_; }

 private:
  struct StepResult {
    double loss_nats, gradient_norm, learning_rate;
  };
  StepResult train_step();

  LanguageModel model_;
  std::unique_ptr<Optimizer> optimizer_;
  BatchSource batches_;
  EvaluationWindows validation_;
  TrainOptions options_;
  TrainingState state_;
  std::vector<std::shared_ptr<Observer>> observers_;
};

}  // namespace tinylm
