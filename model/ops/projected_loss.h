// The last two steps of training as one: the output projection and the loss of its logits.
#pragma once

#include <cstdint>

#include "core/torch.h"
#include "model/ops/loss.h"
#include "model/ops/ops.h"

namespace tinylm::ops {

/// next_token_loss(hidden weight^T, targets, reduction): hidden [..., C], weight [V, C], targets [...] int64 -> a
/// scalar, or a loss for each target (kNone, whose gradients take the composed way). Under kAuto, where the table in
/// dispatch.h allows, logits exist for some rows at a time only, and turn into their gradient in the pass that computes
/// the loss; the gradients of hidden and weight are complete when the forward pass is. Throws BadInput for a target
/// outside [0, V) that is not kIgnoredTarget.
torch::Tensor projected_loss(const torch::Tensor& hidden, const torch::Tensor& weight, const torch::Tensor& targets,
                             Ops ops, LossReduction reduction = LossReduction::kMean);

/// How many rows of logits exist at a time under kAuto, for a vocabulary of V: 64 MiB of them, or 128 rows.
std::int64_t logit_rows_at_a_time(std::int64_t V);

}  // namespace tinylm::ops
