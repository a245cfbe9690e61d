#include "model/ops/loss.h"

#include "core/torch.h"
#include "data/batch.h"

namespace tinylm::ops {

torch::Tensor next_token_loss(const torch::Tensor& logits, const torch::Tensor& targets, LossReduction reduction) {
  const torch::Tensor wide = logits.scalar_type() == torch::kFloat64 ? logits : logits.to(torch::kFloat32);
  const auto kind = reduction == LossReduction::kMean ? at::Reduction::Mean : at::Reduction::Sum;
  return torch::cross_entropy_loss(wide.reshape({-1, logits.size(-1)}), targets.reshape({-1}), /*weight=*/{}, kind,
                                   kIgnoredTarget);
}

}  // namespace tinylm::ops
