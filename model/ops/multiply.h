// The product engine (matmul.h) for tensors.
#pragma once

#include "core/torch.h"

namespace tinylm::ops {

/// A matrix of a product: the last two dimensions of a tensor, taken as they are or with rows and columns exchanged.
struct Operand {
  // From a tensor alone it is taken as it is; not explicit, so that products read like products.
  Operand(const torch::Tensor& matrices, bool exchange = false) : tensor(matrices), exchanged(exchange) {}
  const torch::Tensor& tensor;
  bool exchanged;
};
inline Operand transposed(const torch::Tensor& tensor) {
  return {tensor, true};
}

/// c = scale * (a b + bias): a [..., m, k], b [..., k, n], c [..., m, n] with equal leading dimensions, bias [n] or
/// undefined; float32 on the processor. Any strides; those that the engine cannot take are copied first. c must have a
/// last stride of 1 and at most two leading dimensions, or be contiguous. Not differentiable.
void multiply(const Operand& a, const Operand& b, const torch::Tensor& c, double scale = 1.0,
              const torch::Tensor& bias = {});

/// An uninitialised dense tensor of these sizes whose memory runs through the dimensions in the order in which `model`
/// (as many dimensions, last stride 1) runs through its own; the last dimension is contiguous.
torch::Tensor empty_ordered_like(torch::IntArrayRef sizes, const torch::Tensor& model);

}  // namespace tinylm::ops
