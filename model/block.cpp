#include "model/block.h"

#include "model/ops/activations.h"

namespace tinylm {

FeedForwardImpl::FeedForwardImpl(const ModelConfig& config) : activation_(config.activation) {
  const std::int64_t F = config.hidden_width();
  expand_ = register_module("expand", Linear(config.width, ops::activation_inputs(activation_) * F, config.bias));
  contract_ = register_module("contract", Linear(F, config.width, config.bias));
}

torch::Tensor FeedForwardImpl::forward(const torch::Tensor& x, Ops ops) {
  const torch::Tensor hidden = ops::activation(expand_->forward(x, ops), activation_);  // [B, T, F]
  return contract_->forward(hidden, ops);                                               // [B, T, C]
}

ops::FeedForwardWeights FeedForwardImpl::weights(const NormImpl& norm) const {
  return {.norm = norm.kind(),
          .norm_weight = norm.weight(),
          .norm_bias = norm.bias(),
          .expand = expand_->weight(),
          .expand_bias = expand_->bias(),
          .activation = activation_,
          .contract = contract_->weight(),
          .contract_bias = contract_->bias()};
}

BlockImpl::BlockImpl(const ModelConfig& config, std::int64_t layer) : layer_(layer) {
  attention_norm_ = register_module("attention_norm", Norm(config.norm, config.width, config.bias));
  attention_ = register_module("attention", SelfAttention(config, layer));
  feed_forward_norm_ = register_module("feed_forward_norm", Norm(config.norm, config.width, config.bias));
  feed_forward_ = register_module("feed_forward", FeedForward(config));
}

torch::Tensor BlockImpl::forward(const torch::Tensor& x, const ForwardPass& pass) {
  const torch::Tensor attended = add_attention(x, pass);
  if (Trace* trace = pass.options.trace; trace && trace->want_residuals)
    trace->after_attention.push_back(attended.detach());
  return add_feed_forward(attended, pass);
}

torch::Tensor BlockImpl::add_attention(const torch::Tensor& x, const ForwardPass& pass) {
  if (pass.fused) return attention_->add_fused(x, *attention_norm_, pass);
  return x + attention_->forward(attention_norm_->forward(x, pass.ops), pass);
}

torch::Tensor BlockImpl::add_feed_forward(const torch::Tensor& x, const ForwardPass& pass) {
  const std::int64_t site = dropout_site(layer_, DropoutPlace::kFeedForwardOutput);
  const ops::FeedForwardWeights weights = feed_forward_->weights(*feed_forward_norm_);
  if (ops::can_fuse_feed_forward(pass.ops, x, weights))
    return ops::feed_forward(x, weights, pass.options.dropout ? *pass.options.dropout : DropoutPlan{}, site, pass.ops);
  return x + drop(feed_forward_->forward(feed_forward_norm_->forward(x, pass.ops), pass.ops), pass, site);
}

}  // namespace tinylm
