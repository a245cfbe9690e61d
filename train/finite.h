// The guards that keep a loss, gradient or weight that is no number from spreading.
#pragma once

#include <cstdint>
#include <string>

#include "model/model.h"
#include "train/options.h"

namespace tinylm {

/// Factor that scales a gradient of norm `norm` down to `clip`; 1 when it is smaller, or clipping is off (`clip` 0).
double clipping_scale(double norm, double clip);

/// What is wrong with a step whose loss or gradient is not finite, or whose scaled gradient's squares would overflow
/// float32; "" when nothing is.
std::string step_fault(double loss_nats, double gradient_norm, double clip);

/// Throws NotFinite, naming step and what to try.
[[noreturn]] void stop_training(std::int64_t step, const std::string& fault, const TrainOptions& options);
/// Does so when a validation loss after `step` is not finite.
void require_finite_evaluation(std::int64_t step, double loss_nats, const TrainOptions& options);
/// The same for the weights, before they are saved.
void require_finite_weights(std::int64_t step, const torch::nn::Module& model, const TrainOptions& options);

}  // namespace tinylm
