// A transformer block, pre-norm: x + attention(norm(x)), then x + feed_forward(norm(x)) (Radford et al. 2019).
#pragma once

#include "core/torch.h"
#include "model/forward.h"
#include "model/layers.h"
#include "model/ops/feed_forward.h"
#include "model/self_attention.h"

namespace tinylm {

/// Two products with an activation between them: C -> F -> C.
class FeedForwardImpl : public torch::nn::Module {
 public:
  explicit FeedForwardImpl(const ModelConfig& config);
  torch::Tensor forward(const torch::Tensor& x, Ops ops);  // [B, T, C] -> [B, T, C]
  /// What the fused operation takes for this layer behind `norm`.
  ops::FeedForwardWeights weights(const NormImpl& norm) const;

 private:
  ActivationKind activation_;
  Linear expand_{nullptr};    // C -> F; SwiGLU: C -> 2 F, the gate first
  Linear contract_{nullptr};  // F -> C
};
TORCH_MODULE(FeedForward);

class BlockImpl : public torch::nn::Module {
 public:
  BlockImpl(const ModelConfig& config, std::int64_t layer);
  torch::Tensor forward(const torch::Tensor& x, const ForwardPass& pass);  // [B, T, C] -> [B, T, C]
  /// The second half: x + feed_forward(norm(x)), as one operation where that exists.
  torch::Tensor add_feed_forward(const torch::Tensor& x, const ForwardPass& pass);

 private:
  /// x + attention(norm(x)), as one operation where that exists.
  torch::Tensor add_attention(const torch::Tensor& x, const ForwardPass& pass);

  std::int64_t layer_;
  Norm attention_norm_{nullptr};
  SelfAttention attention_{nullptr};
  Norm feed_forward_norm_{nullptr};
  FeedForward feed_forward_{nullptr};
};
TORCH_MODULE(Block);

}  // namespace tinylm
