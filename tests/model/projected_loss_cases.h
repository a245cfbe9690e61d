// Random hidden states, output weights and targets, for tests that compare the loss of the output projection.
#pragma once

#include <cstdint>
#include <vector>

#include "core/torch.h"
#include "data/batch.h"
#include "model/ops/projected_loss.h"
#include "testing/fused.h"

namespace tinylm::ops {

struct LossCase {
  torch::Tensor hidden, weight, targets;
};

inline LossCase make_loss_case(testing::Draw& draw, std::int64_t B, std::int64_t T, std::int64_t C, std::int64_t V) {
  LossCase c{torch::randn({B, T, C}), torch::randn({V, C}) * 0.5, torch::randint(V, {B, T}, torch::kInt64)};
  if (draw.coin()) c.targets.masked_fill_(torch::rand({B, T}) < 0.3, kIgnoredTarget);
  if ((c.targets == kIgnoredTarget).all().item<bool>()) c.targets[0][0] = 0;
  return c;
}

/// The loss, and the gradients of hidden and weight of `factor` times it.
inline std::vector<torch::Tensor> loss_results(const LossCase& c, torch::ScalarType dtype, Ops ops,
                                               double factor = 1.0) {
  const torch::Tensor hidden = c.hidden.detach().to(dtype, false, true).requires_grad_(true),
                      weight = c.weight.detach().to(dtype, false, true).requires_grad_(true);
  const torch::Tensor loss = projected_loss(hidden, weight, c.targets, ops);
  (loss * factor).backward();
  return {loss.detach(), hidden.grad(), weight.grad()};
}

}  // namespace tinylm::ops
