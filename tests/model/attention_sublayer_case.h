// The attention half of a block with random weights, fused or composed, for tests that compare its results.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "core/torch.h"
#include "model/attention_cases.h"
#include "model/positions.h"
#include "model/self_attention.h"

namespace tinylm::ops {

/// A norm and self-attention with random weights.
struct AttentionSublayerCase {
  AttentionSublayerCase(const Case& c, torch::Dtype dtype)
      : norm(c.norm, c.H * c.D, c.bias),
        attention(c.config(), 1),
        positions(find_position_kind(c.positions)->make(c.config())) {
    const torch::NoGradGuard no_gradient;
    for (torch::Tensor& weight : parameters()) {
      const double size = weight.dim() == 2 ? 1.0 / std::sqrt(static_cast<double>(weight.size(1))) : 1.0;
      weight.normal_(0.0, size);
    }
    norm->to(dtype);
    attention->to(dtype);
  }
  std::vector<torch::Tensor> parameters() const {
    std::vector<torch::Tensor> all = norm->parameters();
    for (const torch::Tensor& weight : attention->parameters()) all.push_back(weight);
    return all;
  }
  /// The result, and the gradients of x and of every weight.
  std::vector<torch::Tensor> run(const torch::Tensor& inputs, const torch::Tensor& dy, const DropoutPlan& plan,
                                 Ops ops) {
    for (const torch::Tensor& weight : parameters()) weight.mutable_grad() = torch::Tensor();
    const torch::Tensor x = inputs.detach().requires_grad_(true);
    const std::int64_t T = x.size(1);
    const ForwardOptions options{.dropout = &plan};
    const ForwardPass pass{.options = options,
                           .ops = ops,
                           .first_position = 0,
                           .positions = *positions,
                           .fused = positions->in_numbers(T, x),
                           .mask = attention_mask(T, T, true, positions->score_bias(0, T, x.options()), x.options())};
    const torch::Tensor y =
        ops == Ops::kPlain ? x + attention->forward(norm->forward(x, ops), pass) : attention->add_fused(x, *norm, pass);
    y.backward(dy);
    std::vector<torch::Tensor> results = {y.detach(), x.grad()};
    for (const torch::Tensor& weight : parameters()) results.push_back(weight.grad());
    return results;
  }

  Norm norm;
  SelfAttention attention;
  std::shared_ptr<Positions> positions;
};

}  // namespace tinylm::ops
