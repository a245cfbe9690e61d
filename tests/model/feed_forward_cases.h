// Random feed-forward sublayers and their definition, for tests that compare the fused one.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/torch.h"
#include "model/ops/activations.h"
#include "model/ops/dropout.h"
#include "model/ops/feed_forward.h"
#include "model/ops/linear.h"
#include "model/ops/norms.h"
#include "testing/fused.h"

namespace tinylm::ops {

inline constexpr std::int64_t kSite = 5;

struct SublayerCase {
  torch::Tensor x, dy;
  FeedForwardWeights weights;
  DropoutPlan dropout;
};

struct SublayerSizes {
  std::int64_t B, T, C, F;
};

inline SublayerCase make_sublayer_case(testing::Draw& draw, const SublayerSizes& s,
                                       torch::TensorOptions options = torch::kFloat32) {
  SublayerCase c;
  const auto random = [&](std::vector<std::int64_t> shape, double deviation) {
    return torch::randn(shape, options) * deviation;
  };
  FeedForwardWeights& w = c.weights;
  w.norm = draw.coin() ? NormKind::kLayerNorm : NormKind::kRmsNorm;
  w.activation = static_cast<ActivationKind>(draw.between(0, 2));
  const std::int64_t H = activation_inputs(w.activation) * s.F;
  const bool biases = draw.coin();
  c.x = random({s.B, s.T, s.C}, 2.0);
  c.dy = random({s.B, s.T, s.C}, 1.0);
  w.norm_weight = random({s.C}, 1.0);
  if (biases && w.norm == NormKind::kLayerNorm) w.norm_bias = random({s.C}, 1.0);
  w.expand = random({H, s.C}, 1.0 / std::sqrt(static_cast<double>(s.C)));
  w.contract = random({s.C, s.F}, 1.0 / std::sqrt(static_cast<double>(s.F)));
  if (biases) w.expand_bias = random({H}, 1.0);
  if (biases) w.contract_bias = random({s.C}, 1.0);
  if (draw.coin()) c.dropout = {.probability = 0.3, .seed = 11, .first_sample = draw.between(0, 1000)};
  return c;
}

/// The textbook's lines.
inline torch::Tensor composed(const torch::Tensor& x, const FeedForwardWeights& w, const DropoutPlan& plan,
                              std::int64_t site) {
  const torch::Tensor normed = norm(w.norm, x, w.norm_weight, w.norm_bias, Ops::kPlain);
  const torch::Tensor active = activation(linear(normed, w.expand, w.expand_bias, Ops::kPlain), w.activation);
  return x + dropout(linear(active, w.contract, w.contract_bias, Ops::kPlain), plan, site);
}

/// x and all weights there are, in a fixed order.
inline std::vector<torch::Tensor*> tensors_of(torch::Tensor& x, FeedForwardWeights& w) {
  std::vector<torch::Tensor*> all;
  for (torch::Tensor* tensor :
       {&x, &w.norm_weight, &w.norm_bias, &w.expand, &w.expand_bias, &w.contract, &w.contract_bias})
    if (tensor->defined()) all.push_back(tensor);
  return all;
}

/// y and the gradients of x and all weights, computed by `function` in `dtype`.
template <class Function>
std::vector<torch::Tensor> sublayer_results(const SublayerCase& c, torch::ScalarType dtype, const Function& function) {
  torch::Tensor x = c.x;
  FeedForwardWeights weights = c.weights;
  const auto all = tensors_of(x, weights);
  for (torch::Tensor* tensor : all) *tensor = tensor->detach().to(dtype, false, /*copy=*/true).requires_grad_(true);
  const torch::Tensor y = function(x, weights, c.dropout, kSite);
  y.backward(c.dy.to(dtype));
  std::vector<torch::Tensor> results = {y.detach()};
  for (const torch::Tensor* tensor : all) results.push_back(tensor->grad());
  return results;
}

}  // namespace tinylm::ops
