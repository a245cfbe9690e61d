#include "model/ops/linear.h"

#include <torch/torch.h>

namespace tinylm::ops {

torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias, Ops) {
  return torch::linear(x, weight, bias);
}

}  // namespace tinylm::ops
