#include "inspect/rollout.h"

namespace tinylm {

torch::Tensor rollout(const torch::Tensor& attention) {
  const torch::Tensor itself = torch::eye(attention.size(-1), torch::kFloat64);
  torch::Tensor result = itself;
  for (std::int64_t layer = 0; layer < attention.size(0); ++layer)
    result = torch::matmul((attention[layer].to(torch::kFloat64).mean(0) + itself) / 2.0, result);
  return result;
}

torch::Tensor uniform_rollout(std::int64_t layers, std::int64_t T) {
  const torch::Tensor counts = torch::arange(1, T + 1, torch::kFloat64).unsqueeze(1);
  const torch::Tensor even = torch::ones({T, T}, torch::kFloat64).tril() / counts;
  return rollout(even.view({1, 1, T, T}).expand({layers, 1, T, T}));
}

}  // namespace tinylm
