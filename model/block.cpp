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

BlockImpl::BlockImpl(const ModelConfig& config, std::int64_t layer) : layer_(layer) {
  attention_norm_ = register_module("attention_norm", Norm(config.norm, config.width, config.bias));
  attention_ = register_module("attention", SelfAttention(config, layer));
  feed_forward_norm_ = register_module("feed_forward_norm", Norm(config.norm, config.width, config.bias));
  feed_forward_ = register_module("feed_forward", FeedForward(config));
}

torch::Tensor BlockImpl::forward(const torch::Tensor& x, const ForwardPass& pass) {
  const torch::Tensor attended = x + attention_->forward(attention_norm_->forward(x), pass);
  const torch::Tensor change = feed_forward_->forward(feed_forward_norm_->forward(attended), pass.ops);
  return attended + drop(change, pass, dropout_site(layer_, DropoutPlace::kFeedForwardOutput));
}

}  // namespace tinylm
