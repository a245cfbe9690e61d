// How surprised the model is by the token that came next.
#pragma once

#include "core/torch.h"

namespace tinylm::ops {

enum class LossReduction { kMean, kSum };

/// Cross entropy in nats, -ln softmax(logits)[target], over all places whose target is not kIgnoredTarget
/// (data/batch.h). logits [..., V], targets [...] int64 -> a scalar, float32 (float64 for float64 logits). kMean of no
/// places at all is NaN.
torch::Tensor next_token_loss(const torch::Tensor& logits, const torch::Tensor& targets,
                              LossReduction reduction = LossReduction::kMean);

}  // namespace tinylm::ops
