// The feed-forward half of a block as one operation: x + drop(contract(activation(expand(norm(x))))).
#pragma once

#include <cstdint>

#include "core/torch.h"
#include "model/config.h"
#include "model/ops/kernels/dropout_rows.h"
#include "model/ops/ops.h"

namespace tinylm::ops {

/// Everything trained in it, and its kinds. Biases may be undefined.
struct FeedForwardWeights {
  NormKind norm = NormKind::kLayerNorm;
  torch::Tensor norm_weight, norm_bias;  // [C]
  torch::Tensor expand, expand_bias;     // [inputs F, C], [inputs F], inputs = activation_inputs(activation)
  ActivationKind activation = ActivationKind::kGelu;
  torch::Tensor contract, contract_bias;  // [C, F], [C]
};

/// Whether feed_forward() may take these; else it is composed of its definitions.
bool can_fuse_feed_forward(Ops ops, const torch::Tensor& x, const FeedForwardWeights& weights);

/// x [B, T, C] float32 -> [B, T, C], one node of the autograd graph. It keeps x, two numbers a row and the expanded
/// rows before their activation; the backward pass computes the rest again. Drops what ops::dropout() at `site` would;
/// a plan with p = 0 drops nothing.
torch::Tensor feed_forward(const torch::Tensor& x, const FeedForwardWeights& weights, const DropoutPlan& dropout,
                           std::int64_t site, Ops ops = Ops::kAuto);

}  // namespace tinylm::ops
