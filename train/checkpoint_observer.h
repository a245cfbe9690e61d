// Saves the training as it goes, so that it can be resumed and its best model used.
#pragma once

#include "core/stop_watch.h"
#include "model/model.h"
#include "run/checkpoint.h"
#include "train/observer.h"
#include "train/optim/optimizer.h"
#include "train/options.h"

namespace tinylm {

/// Saves every options.save_every steps (0: at every evaluation), options.save_every_minutes after the last time,
/// whenever the validation loss is the best so far, and when training ends, whatever ends it.
class CheckpointObserver : public Observer {
 public:
  /// `optimizer` outlives the observer.
  CheckpointObserver(CheckpointStore store, LanguageModel model, const Optimizer& optimizer,
                     const TrainOptions& options, Origin origin);
  /// Throws FileError when saving fails, NotFinite when the weights are not fit to be saved; the last checkpoint stays.
  void on_step(const StepReport& report) override;

 private:
  bool due(const StepReport& report) const;

  CheckpointStore store_;
  LanguageModel model_;
  const Optimizer& optimizer_;
  TrainOptions options_;
  Origin origin_;
  StopWatch since_saved_;  // or since the training began
};

}  // namespace tinylm
