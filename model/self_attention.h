// Causal self-attention with H query heads over Hkv key/value heads: one fused projection to queries, keys and values,
// attention, one projection back to the width.
#pragma once

#include "core/torch.h"
#include "model/forward.h"
#include "model/layers.h"

namespace tinylm {

class SelfAttentionImpl : public torch::nn::Module {
 public:
  SelfAttentionImpl(const ModelConfig& config, std::int64_t layer);
  /// x [B, T, C] -> [B, T, C]; records the weights in the pass's trace when asked to.
  torch::Tensor forward(const torch::Tensor& x, const ForwardPass& pass);
  /// x + dropped forward(norm(x)), [B, T, C] -> [B, T, C], in one fused step: for passes with `pass.fused`.
  torch::Tensor add_fused(const torch::Tensor& x, const NormImpl& norm, const ForwardPass& pass);

 private:
  std::int64_t layer_, heads_, kv_heads_, head_size_;
  Linear query_key_value_{nullptr};               // C -> (H + 2 Hkv) D: all queries, then all keys, then all values
  Norm query_norm_{nullptr}, key_norm_{nullptr};  // over D; only with query_key_norm
  Linear projection_{nullptr};                    // C -> C
};
TORCH_MODULE(SelfAttention);

}  // namespace tinylm
