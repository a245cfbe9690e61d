// How surprised the model is by the token that came next.
#pragma once

#include "core/torch.h"

namespace tinylm::ops {

enum class LossReduction { kMean, kNone };

/// Cross entropy in nats, -ln softmax(logits)[target], over all places whose target is not kIgnoredTarget
/// (data/batch.h). logits [..., V], targets [...] int64 -> float32 (float64 for float64 logits): their mean, a scalar,
/// which of no places at all is NaN; or, with kNone, the loss of each place [...], 0 where it is ignored.
torch::Tensor next_token_loss(const torch::Tensor& logits, const torch::Tensor& targets,
                              LossReduction reduction = LossReduction::kMean);

}  // namespace tinylm::ops
