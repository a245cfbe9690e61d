// Normalisation over the last dimension.
#pragma once

#include "core/torch.h"

namespace tinylm::ops {

inline constexpr double kNormEpsilon = 1e-5;  // added to the variance or mean square

/// (x - mean) / sqrt(variance + epsilon) * weight + bias; x [..., C], weight and bias [C], bias may be undefined.
/// Source: Ba, Kiros & Hinton 2016.
torch::Tensor layer_norm(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias);

/// x / sqrt(mean(x^2) + epsilon) * weight; x [..., C], weight [C]. Source: Zhang & Sennrich 2019.
torch::Tensor rms_norm(const torch::Tensor& x, const torch::Tensor& weight);

}  // namespace tinylm::ops
