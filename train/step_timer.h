// How long a training step takes on this machine, measured and not guessed.
#pragma once

#include <cstdint>
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
  /// Evaluates as many windows as an evaluation takes at a time.
  void evaluate();
  /// Seconds that the optimizer takes for a step.
  double optimizer_s();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Seconds of one training step: the median over steps on random tokens, repeated for about `seconds` after one to warm
/// up. Where its samples one by one would take longer than that, the time is reckoned from two steps of fewer samples.
/// Throws as TimedTraining does.
double measure_step_s(const ModelConfig& config, const TrainOptions& options, Ops ops, double seconds);

/// Bytes that this process grows by while it trains two steps and evaluates as many windows as are evaluated at a time,
/// model and optimizer included. Throws as TimedTraining does.
std::uint64_t measure_peak_bytes(const ModelConfig& config, const TrainOptions& options, Ops ops);

/// Seconds of a step that are the optimizer's: the median of a few, which does not depend on the batch. Throws as
/// TimedTraining does.
double measure_optimizer_s(const ModelConfig& config, const TrainOptions& options, Ops ops);

}  // namespace tinylm
