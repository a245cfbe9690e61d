#include "model/layers.h"

#include "model/ops/embedding.h"
#include "model/ops/linear.h"
#include "model/ops/norms.h"

namespace tinylm {

LinearImpl::LinearImpl(std::int64_t inputs, std::int64_t outputs, bool with_bias) {
  weight_ = register_parameter("weight", torch::empty({outputs, inputs}));
  if (with_bias) bias_ = register_parameter("bias", torch::zeros({outputs}));
}

torch::Tensor LinearImpl::forward(const torch::Tensor& x, Ops ops) const {
  return ops::linear(x, weight_, bias_, ops);
}

NormImpl::NormImpl(NormKind kind, std::int64_t size, bool with_bias) : kind_(kind) {
  weight_ = register_parameter("weight", torch::ones({size}));
  if (with_bias && kind == NormKind::kLayerNorm) bias_ = register_parameter("bias", torch::zeros({size}));
}

torch::Tensor NormImpl::forward(const torch::Tensor& x, Ops ops) const {
  return ops::norm(kind_, x, weight_, bias_, ops);
}

EmbeddingImpl::EmbeddingImpl(std::int64_t V, std::int64_t C) {
  weight_ = register_parameter("weight", torch::empty({V, C}));
}

torch::Tensor EmbeddingImpl::forward(const torch::Tensor& ids, const torch::Tensor& added, Ops ops) const {
  return ops::embedding(weight_, ids, added, ops);
}

}  // namespace tinylm
