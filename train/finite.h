// The guards that keep a loss, gradient or weight that is no number from spreading.
#pragma once

#include <cstdint>

#include "model/model.h"
#include "train/options.h"

namespace tinylm {

/// Factor that scales a gradient of norm `norm` down to `clip`; 1 when it is smaller, or clipping is off (`clip` 0).
double clipping_scale(double norm, double clip);

/// Throws NotFinite, naming step and what to try, when the loss or the gradient of `step` is not finite, or when the
/// scaled gradient's squares would overflow float32.
void require_finite_step(std::int64_t step, double loss_nats, double gradient_norm, const TrainOptions& options);
/// The same for a validation loss after `step`.
void require_finite_evaluation(std::int64_t step, double loss_nats, const TrainOptions& options);
/// The same for the weights, before they are saved.
void require_finite_weights(std::int64_t step, const torch::nn::Module& model, const TrainOptions& options);

}  // namespace tinylm
