// Attention rollout (Abnar & Zuidema, "Quantifying Attention Flow in Transformers", 2020): how much of each position's
// final vector came from which token, if heads are averaged and half of each layer passes by its attention.
#pragma once

#include <cstdint>

#include "core/torch.h"

namespace tinylm {

/// attention [L, H, T, T] -> [T, T] float64: R_0 = Ahat_0, R_l = Ahat_l R_{l-1}, Ahat_l = (mean over heads of A_l + I)
/// / 2.
torch::Tensor rollout(const torch::Tensor& attention);

/// The rollout of heads that look at every token up to their own alike. The first tokens collect weight even there, so
/// a rollout means something only beside this one.
torch::Tensor uniform_rollout(std::int64_t layers, std::int64_t T);

}  // namespace tinylm
