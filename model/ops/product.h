// The batched matrix product of attention, with its two gradients.
#pragma once

#include "core/torch.h"
#include "model/ops/ops.h"

namespace tinylm::ops {

/// scale * a b for a [..., m, k] and b [..., k, n] -> [..., m, n]; leading dimensions broadcast as in torch::matmul.
/// Under kAuto the product and both gradients run in the product engine (matmul.h) where the table in dispatch.h allows
/// and the leading dimensions are equal; the result's memory then runs through its dimensions in b's order (so that
/// joining heads later is a view), and each gradient's in the order of its operand. Else libtorch's matmul.
torch::Tensor product(const torch::Tensor& a, const torch::Tensor& b, double scale, Ops ops);

}  // namespace tinylm::ops
