#include "model/ops/norms.h"

#include "core/torch.h"

namespace tinylm::ops {

torch::Tensor layer_norm(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
  return torch::layer_norm(x, weight.sizes(), weight, bias, kNormEpsilon);
}

torch::Tensor rms_norm(const torch::Tensor& x, const torch::Tensor& weight) {
  const torch::Tensor mean_square = x.square().mean(-1, /*keepdim=*/true);
  return x * torch::rsqrt(mean_square + kNormEpsilon) * weight;
}

}  // namespace tinylm::ops
