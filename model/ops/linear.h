// y = x W^T + b, the product of every linear layer, with its two gradients.
#pragma once

#include "core/torch.h"
#include "model/ops/ops.h"

namespace tinylm::ops {

/// x [..., K], weight [N, K], bias [N] or undefined -> [..., N]. Under kAuto the forward product, the input gradient
/// and the weight gradient run in the product engine (matmul.h) where the table in dispatch.h allows; else libtorch's
/// linear.
torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias, Ops ops);

}  // namespace tinylm::ops
