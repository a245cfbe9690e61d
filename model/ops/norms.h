// Normalisation over the last dimension.
#pragma once

#include "core/torch.h"
#include "model/config.h"
#include "model/ops/ops.h"

namespace tinylm::ops {

inline constexpr double kNormEpsilon = 1e-5;  // added to the variance or mean square

/// (x - mean) / sqrt(variance + epsilon) * weight + bias; x [..., C], weight and bias [C], bias may be undefined.
/// Source: Ba, Kiros & Hinton 2016.
torch::Tensor layer_norm(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias);

/// x / sqrt(mean(x^2) + epsilon) * weight; x [..., C], weight [C]. Source: Zhang & Sennrich 2019.
torch::Tensor rms_norm(const torch::Tensor& x, const torch::Tensor& weight);

/// The norm of this kind; bias undefined for RMSNorm. Under kAuto one node of the graph that keeps two numbers a row
/// (kernels/row_norm.h), where the table in dispatch.h allows.
torch::Tensor norm(NormKind kind, const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                   Ops ops);

}  // namespace tinylm::ops
