#include "model/ops/activations.h"

#include "core/torch.h"

namespace tinylm::ops {

std::int64_t activation_inputs(ActivationKind kind) {
  return kind == ActivationKind::kSwiGlu ? 2 : 1;
}

torch::Tensor activation(const torch::Tensor& x, ActivationKind kind) {
  switch (kind) {
    case ActivationKind::kGelu:
      return torch::gelu(x);
    case ActivationKind::kSquaredRelu:
      return torch::relu(x).square();
    case ActivationKind::kSwiGlu:
      break;
  }
  const std::vector<torch::Tensor> halves = x.chunk(2, -1);
  return torch::silu(halves[0]) * halves[1];
}

}  // namespace tinylm::ops
