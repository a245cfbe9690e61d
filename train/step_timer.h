// How long a training step takes on this machine, measured and not guessed.
#pragma once

#include <memory>

#include "model/model.h"
#include "train/options.h"

namespace tinylm {

/// The real loop on random tokens, one step at a time; nothing is evaluated or saved. The tokens are in a small file in
/// the system's folder for temporary files. Throws FileError when that cannot be written.
class TimedTraining {
 public:
  TimedTraining(const LanguageModel& model, const TrainOptions& options);
  ~TimedTraining();
  TimedTraining(const TimedTraining&) = delete;
  TimedTraining& operator=(const TimedTraining&) = delete;

  /// Trains a step; gives the seconds it took.
  double step_s();
  /// Seconds that the norm of the last step's gradients takes, which clipping needs.
  double gradient_norm_s();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Seconds of one training step: the median over steps on random tokens, repeated for about `seconds` after one to warm
/// up. Where its samples one by one would take longer than that, the time is reckoned from two steps of fewer samples.
/// Throws as TimedTraining does.
double measure_step_s(const ModelConfig& config, const TrainOptions& options, Ops ops, double seconds);

}  // namespace tinylm
