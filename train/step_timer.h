// How long a training step takes on this machine, measured and not guessed.
#pragma once

#include "model/model.h"
#include "train/options.h"

namespace tinylm {

/// Seconds of one training step: the median over steps on random tokens, repeated for about `seconds` after one to warm
/// up. Where its samples one by one would take longer than that, the
/// time is reckoned from steps of one and of four samples. It is the real
/// loop on a model of this size, reading a small file of random tokens in the system's folder for temporary files.
/// Throws FileError when that cannot be written.
double measure_step_s(const ModelConfig& config, const TrainOptions& options, Ops ops, double seconds);

}  // namespace tinylm
