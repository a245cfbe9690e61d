// The three kinds of layer that hold parameters: linear, norm, embedding. Parameters are left for the model to
// initialise.
#pragma once

#include <cstdint>

#include "core/torch.h"
#include "model/config.h"
#include "model/ops/ops.h"

namespace tinylm {

/// y = x W^T + b; weight [outputs, inputs], bias [outputs] or none.
class LinearImpl : public torch::nn::Module {
 public:
  LinearImpl(std::int64_t inputs, std::int64_t outputs, bool with_bias);
  torch::Tensor forward(const torch::Tensor& x, Ops ops) const;  // [..., inputs] -> [..., outputs]
  const torch::Tensor& weight() const { return weight_; }
  const torch::Tensor& bias() const { return bias_; }  // undefined without one

 private:
  torch::Tensor weight_, bias_;
};
TORCH_MODULE(Linear);

/// LayerNorm (with a bias or without) or RMSNorm over the last dimension; weight [size].
class NormImpl : public torch::nn::Module {
 public:
  NormImpl(NormKind kind, std::int64_t size, bool with_bias);
  torch::Tensor forward(const torch::Tensor& x, Ops ops) const;  // [..., size] -> [..., size]
  NormKind kind() const { return kind_; }
  const torch::Tensor& weight() const { return weight_; }
  const torch::Tensor& bias() const { return bias_; }  // undefined without one

 private:
  NormKind kind_;
  torch::Tensor weight_, bias_;
};
TORCH_MODULE(Norm);

/// A vector for each token; weight [V, C].
class EmbeddingImpl : public torch::nn::Module {
 public:
  EmbeddingImpl(std::int64_t V, std::int64_t C);
  /// ids [B, T], added [T, C] or undefined -> [B, T, C].
  torch::Tensor forward(const torch::Tensor& ids, const torch::Tensor& added, Ops ops) const;
  const torch::Tensor& weight() const { return weight_; }

 private:
  torch::Tensor weight_;
};
TORCH_MODULE(Embedding);

}  // namespace tinylm
