// The fused attention half of a block against its plain twin, which is computed in float64.
#include "model/ops/attention_sublayer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "model/attention_cases.h"
#include "model/ops/dispatch.h"
#include "model/positions.h"
#include "model/self_attention.h"
#include "testing/fused.h"
#include "testing/tensors.h"

namespace tinylm::ops {
namespace {

using tinylm::testing::close_by_scale;
using tinylm::testing::tensors_equal;

/// A norm and self-attention with random weights.
struct Sublayer {
  explicit Sublayer(const Case& c, torch::Dtype dtype)
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
        ops == Ops::kAuto ? attention->add_fused(x, *norm, pass) : x + attention->forward(norm->forward(x, ops), pass);
    y.backward(dy);
    std::vector<torch::Tensor> results = {y.detach(), x.grad()};
    for (const torch::Tensor& weight : parameters()) results.push_back(weight.grad());
    return results;
  }

  Norm norm;
  SelfAttention attention;
  std::shared_ptr<Positions> positions;
};

TEST(AttentionSublayer, EqualsItsTwinForwardAndBackward) {
  tinylm::testing::Draw draw(2);
  for (int n = 0; n < kCases; ++n) {
    const Case c = random_case(draw);
    torch::manual_seed(n);
    Sublayer fused(c, torch::kFloat32);
    torch::manual_seed(n);
    Sublayer plain(c, torch::kFloat64);
    const torch::Tensor x = torch::randn({c.B, c.T, c.H * c.D}), dy = torch::randn(x.sizes());
    const auto found = fused.run(x, dy, plan_of(c), Ops::kAuto);
    const auto expected = plain.run(x.to(torch::kFloat64), dy.to(torch::kFloat64), plan_of(c), Ops::kPlain);
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_TRUE(close_by_scale(found[0], expected[0], 1e-5)) << c.text();
    for (std::size_t i = 1; i < expected.size(); ++i)
      EXPECT_TRUE(close_by_scale(found[i], expected[i], 3e-5)) << i << " " << c.text();
  }
}

TEST(AttentionSublayer, GivesTheSameWithoutAGradient) {
  torch::manual_seed(8);
  const Case c{2, 70, 4, 2, 16, "rope", true, true, NormKind::kLayerNorm, 0.0};
  Sublayer layer(c, torch::kFloat32);
  const torch::Tensor x = torch::randn({c.B, c.T, c.H * c.D});
  const torch::Tensor trained = layer.run(x, torch::randn(x.sizes()), {}, Ops::kAuto)[0];
  const torch::NoGradGuard no_gradient;
  const ForwardOptions options;
  const ForwardPass pass{.options = options,
                         .ops = Ops::kAuto,
                         .first_position = 0,
                         .positions = *layer.positions,
                         .fused = layer.positions->in_numbers(c.T, x),
                         .mask = {}};
  EXPECT_TRUE(tensors_equal(layer.attention->add_fused(x, *layer.norm, pass), trained));
}

TEST(AttentionSublayer, TakesStridedInputsAndGradients) {
  torch::manual_seed(9);
  const Case c{3, 20, 2, 2, 8, "none", false, true, NormKind::kLayerNorm, 0.0};
  Sublayer layer(c, torch::kFloat32);
  const torch::Tensor x = torch::randn({20, 3, 16}).transpose(0, 1), dy = torch::randn({16, 20, 3}).permute({2, 1, 0});
  const auto strided = layer.run(x, dy, {}, Ops::kAuto);
  for (torch::Tensor& weight : layer.parameters()) weight.mutable_grad() = torch::Tensor();
  const auto dense = layer.run(x.contiguous(), dy.contiguous(), {}, Ops::kAuto);
  for (std::size_t i = 0; i < dense.size(); ++i) EXPECT_TRUE(tensors_equal(strided[i].contiguous(), dense[i])) << i;
}

TEST(Dispatch, ComposesAttentionForWhatTheFusedOneCannotDo) {
  const torch::Tensor x = torch::zeros({1}), wide = torch::zeros({1}, torch::kFloat64);
  EXPECT_TRUE(use_fast(Ops::kAuto, Operation::kAttention, {x}));
  EXPECT_FALSE(use_fast(Ops::kPlain, Operation::kAttention, {x}));
  EXPECT_FALSE(use_fast(Ops::kAuto, Operation::kAttention, {wide}));
  for (const unsigned wish : {kTraced, kCached, kLaterKeys, kOwnPositions})
    EXPECT_FALSE(use_fast(Ops::kAuto, Operation::kAttention, {x}, wish)) << wish;
}

}  // namespace
}  // namespace tinylm::ops
