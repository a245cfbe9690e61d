// A vector for each token, with what its position adds.
#pragma once

#include "core/torch.h"
#include "model/ops/ops.h"

namespace tinylm::ops {

/// weight [V, C], ids [B, T] int64 in [0, V), added [T, C] or undefined -> weight[ids] + added, [B, T, C]. Under kAuto
/// one node of the graph where the table in dispatch.h allows; its gradients are sums in the order of the tokens,
/// whatever the number of threads. ids are not checked.
torch::Tensor embedding(const torch::Tensor& weight, const torch::Tensor& ids, const torch::Tensor& added, Ops ops);

}  // namespace tinylm::ops
