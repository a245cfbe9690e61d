#include "model/self_attention.h"

#include "model/ops/attention.h"
#include "model/ops/attention_sublayer.h"
#include "model/positions.h"

namespace tinylm {

SelfAttentionImpl::SelfAttentionImpl(const ModelConfig& config, std::int64_t layer)
    : layer_(layer), heads_(config.heads), kv_heads_(config.key_value_heads()), head_size_(config.head_size()) {
  query_key_value_ =
      register_module("query_key_value", Linear(config.width, (heads_ + 2 * kv_heads_) * head_size_, config.bias));
  if (config.query_key_norm) {
    query_norm_ = register_module("query_norm", Norm(NormKind::kRmsNorm, head_size_, false));
    key_norm_ = register_module("key_norm", Norm(NormKind::kRmsNorm, head_size_, false));
  }
  projection_ = register_module("projection", Linear(config.width, config.width, config.bias));
}

torch::Tensor SelfAttentionImpl::forward(const torch::Tensor& x, const ForwardPass& pass) {
  const std::int64_t B = x.size(0), T = x.size(1), C = x.size(2);
  const auto parts = query_key_value_->forward(x, pass.ops)
                         .view({B, T, heads_ + 2 * kv_heads_, head_size_})
                         .split_with_sizes({heads_, kv_heads_, kv_heads_}, 2);  // 3 x [B, T, heads, D]
  torch::Tensor q = parts[0].transpose(1, 2);                                   // [B, H, T, D]
  torch::Tensor k = parts[1].transpose(1, 2), v = parts[2].transpose(1, 2);     // [B, Hkv, T, D]
  if (query_norm_) {
    q = query_norm_->forward(q, pass.ops);
    k = key_norm_->forward(k, pass.ops);
  }
  q = pass.positions.rotate(q, pass.first_position);
  k = pass.positions.rotate(k, pass.first_position);
  if (pass.options.cache) std::tie(k, v) = pass.options.cache->append(layer_, k, v);

  const ops::AttentionOptions options{.mask = pass.mask,
                                      .dropout = pass.options.dropout,
                                      .dropout_site = dropout_site(layer_, DropoutPlace::kAttentionWeights),
                                      .ops = pass.ops};
  const ops::Attention attention = ops::attention(q, k, v, options);  // [B, H, T, D]
  if (Trace* trace = pass.options.trace) {
    if (trace->want_attention) trace->attention.push_back(attention.weights.detach());
    if (trace->want_heads) trace->heads.push_back({q.detach(), k.detach(), v.detach(), attention.output.detach()});
  }
  const torch::Tensor joined = attention.output.transpose(1, 2).reshape({B, T, C});
  return drop(projection_->forward(joined, pass.ops), pass, dropout_site(layer_, DropoutPlace::kAttentionOutput));
}

torch::Tensor SelfAttentionImpl::add_fused(const torch::Tensor& x, const NormImpl& norm, const ForwardPass& pass) {
  const ops::AttentionWeights weights{.norm_weight = norm.weight(),
                                      .norm_bias = norm.bias(),
                                      .query_key_value_weight = query_key_value_->weight(),
                                      .query_key_value_bias = query_key_value_->bias(),
                                      .query_weight = query_norm_ ? query_norm_->weight() : torch::Tensor(),
                                      .key_weight = key_norm_ ? key_norm_->weight() : torch::Tensor(),
                                      .projection_weight = projection_->weight(),
                                      .projection_bias = projection_->bias()};
  const ops::AttentionChoices choices{.norm = norm.kind(),
                                      .heads = heads_,
                                      .kv_heads = kv_heads_,
                                      .positions = pass.fused.value(),
                                      .dropout = pass.options.dropout ? *pass.options.dropout : DropoutPlan{},
                                      .weights_site = dropout_site(layer_, DropoutPlace::kAttentionWeights),
                                      .output_site = dropout_site(layer_, DropoutPlace::kAttentionOutput),
                                      .ops = pass.ops};
  return ops::attention_sublayer(x, weights, choices);
}

}  // namespace tinylm
