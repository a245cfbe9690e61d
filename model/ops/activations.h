// What stands between the two products of a feed-forward layer.
#pragma once

#include "core/torch.h"
#include "model/config.h"

namespace tinylm::ops {

/// How many columns the first product gives for each column that the second one takes: 2 for gated kinds, else 1.
std::int64_t activation_inputs(ActivationKind kind);

/// x [..., activation_inputs(kind) * F] -> [..., F]. kGelu: x Phi(x), exact (Hendrycks & Gimpel 2016). kSquaredRelu:
/// max(x, 0)^2 (So et al. 2021). kSwiGlu: silu(gate) * value, gate the first F columns, value the others (Shazeer
/// 2020).
torch::Tensor activation(const torch::Tensor& x, ActivationKind kind);

}  // namespace tinylm::ops
