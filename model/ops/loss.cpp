#include "model/ops/loss.h"

#include "core/torch.h"
#include "data/batch.h"

namespace tinylm::ops {

torch::Tensor next_token_loss(const torch::Tensor& logits, const torch::Tensor& targets, LossReduction reduction) {
  const torch::Tensor wide = logits.scalar_type() == torch::kFloat64 ? logits : logits.to(torch::kFloat32);
  const bool mean = reduction == LossReduction::kMean;
  const torch::Tensor loss =
      torch::cross_entropy_loss(wide.reshape({-1, logits.size(-1)}), targets.reshape({-1}), /*weight=*/{},
                                mean ? at::Reduction::Mean : at::Reduction::None, kIgnoredTarget);
  return mean ? loss : loss.reshape(targets.sizes());
}

}  // namespace tinylm::ops
