#include "model/ops/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/errors.h"
#include "core/torch_compat.h"
#include "testing/tensors.h"

namespace tinylm::ops {
namespace {

using tinylm::testing::tensors_close;
using tinylm::testing::tensors_equal;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

torch::Tensor random(std::vector<std::int64_t> shape) {
  return torch::randn(shape, torch::kFloat64);
}

/// Attention by its sums, one number at a time. bias [H, Tq, Tk]; q, k, v [B, H or Hkv, T, d].
Attention by_loops(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v, const torch::Tensor& bias,
                   double scale) {
  const std::int64_t B = q.size(0), H = q.size(1), Tq = q.size(2), Tk = k.size(2), group = H / k.size(1);
  Attention result{torch::zeros({B, H, Tq, v.size(3)}, torch::kFloat64), torch::zeros({B, H, Tq, Tk}, torch::kFloat64)};
  const auto Q = q.accessor<double, 4>(), K = k.accessor<double, 4>(), V = v.accessor<double, 4>();
  auto O = result.output.accessor<double, 4>(), W = result.weights.accessor<double, 4>();
  const auto added = bias.accessor<double, 3>();
  for (std::int64_t b = 0; b < B; ++b)
    for (std::int64_t h = 0; h < H; ++h)
      for (std::int64_t i = 0; i < Tq; ++i) {
        double total = 0.0;
        for (std::int64_t j = 0; j < Tk; ++j) {
          double dot = 0.0;
          for (std::int64_t d = 0; d < q.size(3); ++d) dot += Q[b][h][i][d] * K[b][h / group][j][d];
          W[b][h][i][j] = std::exp(scale * dot + added[h][i][j]);
          total += W[b][h][i][j];
        }
        for (std::int64_t j = 0; j < Tk && total > 0.0; ++j) {
          W[b][h][i][j] /= total;
          for (std::int64_t d = 0; d < v.size(3); ++d) O[b][h][i][d] += W[b][h][i][j] * V[b][h / group][j][d];
        }
      }
  return result;
}

struct Sizes {
  std::int64_t B, H, Hkv, Tq, Tk, d_k, d_v;
};

class AttentionSizes : public ::testing::TestWithParam<Sizes> {};

TEST_P(AttentionSizes, EqualItsSumsWrittenAsLoops) {
  torch::manual_seed(3);
  const auto [B, H, Hkv, Tq, Tk, d_k, d_v] = GetParam();
  const torch::Tensor q = random({B, H, Tq, d_k}), k = random({B, Hkv, Tk, d_k}), v = random({B, Hkv, Tk, d_v});
  const torch::Tensor bias = random({H, Tq, Tk}).masked_fill(torch::rand({H, Tq, Tk}) < 0.3, -kInfinity);
  const AttentionOptions options{.mask = attention_mask(Tq, Tk, false, bias, torch::kFloat64), .scale = 0.7};
  const Attention found = attention(q, k, v, options), expected = by_loops(q, k, v, bias, 0.7);
  EXPECT_TRUE(tensors_close(found.output, expected.output, 1e-12));
  EXPECT_TRUE(tensors_close(found.weights, expected.weights, 1e-12));
}

INSTANTIATE_TEST_SUITE_P(Shapes, AttentionSizes,
                         ::testing::Values(Sizes{1, 1, 1, 1, 1, 1, 1}, Sizes{2, 3, 3, 5, 5, 4, 4},
                                           Sizes{2, 4, 2, 3, 7, 5, 2}, Sizes{1, 6, 1, 4, 4, 3, 8},
                                           Sizes{3, 2, 2, 1, 9, 8, 8}));

TEST(Attention, DividesByTheRootOfTheKeySizeByDefault) {
  // One query (2, 0, 0, 0) and keys that give dot products 4 and 0: softmax(4 / sqrt(4), 0) = (e^2, 1) / (e^2 + 1).
  const torch::Tensor q = torch::tensor({{2.0, 0.0, 0.0, 0.0}}, torch::kFloat64);
  const torch::Tensor k = torch::tensor({{2.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}}, torch::kFloat64);
  const torch::Tensor v = torch::tensor({{1.0}, {0.0}}, torch::kFloat64);
  const double expected = std::exp(2.0) / (std::exp(2.0) + 1.0);
  EXPECT_NEAR(attention(q, k, v).output.item<double>(), expected, 1e-15);
}

TEST(Attention, TakesAnyNumberOfLeadingDimensions) {
  torch::manual_seed(4);
  const torch::Tensor q = random({2, 3, 2, 4, 5}), k = random({2, 3, 2, 6, 5}), v = random({2, 3, 2, 6, 3});
  const Attention all = attention(q, k, v), one = attention(q[1][2][0], k[1][2][0], v[1][2][0]);
  EXPECT_EQ(all.output.sizes().vec(), (std::vector<std::int64_t>{2, 3, 2, 4, 3}));
  EXPECT_TRUE(tensors_close(all.output[1][2][0], one.output, 1e-14));
}

TEST(Attention, CausalRowsSumToOneAndAreExactlyZeroAboveTheDiagonal) {
  torch::manual_seed(5);
  const torch::Tensor q = torch::randn({2, 3, 50, 16}), k = torch::randn({2, 3, 50, 16}),
                      v = torch::randn({2, 3, 50, 16});
  const torch::Tensor weights = attention(q, k, v, {.mask = attention_mask(50, 50, true)}).weights;
  EXPECT_TRUE(tensors_close(weights.sum(-1), torch::ones({2, 3, 50}), 1e-6));
  EXPECT_TRUE(tensors_equal(weights.triu(1), torch::zeros({2, 3, 50, 50})));
}

TEST(Attention, CausalQueriesAreTheLastOfTheKeys) {
  // Two queries, three keys, all scores equal: the first query sees two keys, the second all three.
  const torch::Tensor zeros = torch::zeros({3, 1}, torch::kFloat64), v = torch::eye(3, torch::kFloat64);
  const AttentionOptions options{.mask = attention_mask(2, 3, true, {}, torch::kFloat64)};
  const torch::Tensor expected = torch::tensor({{0.5, 0.5, 0.0}, {1 / 3.0, 1 / 3.0, 1 / 3.0}}, torch::kFloat64);
  EXPECT_TRUE(tensors_close(attention(zeros.slice(0, 0, 2), zeros, v, options).output, expected, 1e-15));
}

TEST(Attention, BooleanAndAdditiveMasksAgree) {
  torch::manual_seed(6);
  const torch::Tensor q = random({4, 3}), k = random({5, 3}), v = random({5, 2}), allowed = torch::rand({4, 5}) > 0.4;
  const torch::Tensor additive = torch::zeros({4, 5}, torch::kFloat64).masked_fill(~allowed, -kInfinity);
  const Attention one = attention(q, k, v, {.mask = attention_mask(4, 5, false, allowed, torch::kFloat64)});
  const Attention other = attention(q, k, v, {.mask = attention_mask(4, 5, false, additive, torch::kFloat64)});
  EXPECT_TRUE(tensors_equal(one.weights, other.weights));
}

TEST(Attention, AMaskAndCausalityHoldTogether) {
  const torch::Tensor allowed = torch::tensor({{true, true, true}, {false, true, true}, {true, true, false}});
  const AttentionMask mask = attention_mask(3, 3, true, allowed);
  const torch::Tensor expected = torch::tensor(
      {{0.0, -kInfinity, -kInfinity}, {-kInfinity, 0.0, -kInfinity}, {0.0, 0.0, -kInfinity}}, torch::kFloat32);
  EXPECT_TRUE(tensors_equal(mask.bias, expected));
  EXPECT_FALSE(mask.empty_rows.defined());
}

TEST(Attention, AQueryWithoutAnAllowedKeyGivesZerosAndNoNaN) {
  torch::manual_seed(7);
  torch::Tensor q = random({3, 4}), k = random({3, 4}), v = random({3, 2});
  for (torch::Tensor* x : {&q, &k, &v}) x->requires_grad_(true);
  const torch::Tensor allowed = torch::tensor({{true, false, true}, {false, false, false}, {true, true, true}});
  const Attention found = attention(q, k, v, {.mask = attention_mask(3, 3, false, allowed, torch::kFloat64)});
  found.output.sum().backward();
  EXPECT_TRUE(tensors_equal(found.weights[1], torch::zeros({3}, torch::kFloat64)));
  EXPECT_TRUE(tensors_equal(found.output[1], torch::zeros({2}, torch::kFloat64)));
  EXPECT_TRUE(tensors_equal(q.grad()[1], torch::zeros({4}, torch::kFloat64)));
  for (const torch::Tensor& x : {q, k, v}) EXPECT_TRUE(torch::isfinite(x.grad()).all().item<bool>());
}

TEST(Attention, GradientsMatchFiniteDifferences) {
  torch::manual_seed(8);
  const torch::Tensor allowed = torch::tensor({{true, false, false}, {false, false, false}, {true, true, true}});
  const AttentionOptions options{.mask = attention_mask(3, 3, false, allowed, torch::kFloat64)};
  const auto of = [&](const std::vector<torch::Tensor>& x) { return attention(x[0], x[1], x[2], options).output; };
  EXPECT_TRUE(testing::gradients_match(of, {random({4, 3, 2}), random({2, 3, 2}), random({2, 3, 3})}));
}

TEST(Attention, DropsWeightsByThePlanAndReportsThemUndropped) {
  const torch::Tensor q = torch::zeros({2, 1, 8, 4}), v = torch::ones({2, 1, 8, 4});
  const DropoutPlan plan{.probability = 0.5, .seed = 9};
  const Attention found = attention(q, q, v, {.dropout = &plan, .dropout_site = 3});
  const torch::Tensor kept = dropout(torch::full({2, 1, 8, 8}, 0.125), plan, 3).sum(-1, true).expand({2, 1, 8, 4});
  EXPECT_TRUE(tensors_close(found.output, kept.contiguous(), 1e-6));
  EXPECT_TRUE(tensors_equal(found.weights, torch::full({2, 1, 8, 8}, 0.125)));
}

#if TINYLM_HAS_TORCH_ATTENTION
TEST(Attention, EqualsLibtorchsOwn) {
  torch::manual_seed(10);
  const torch::Tensor q = random({2, 4, 9, 8}), k = random({2, 4, 9, 8}), v = random({2, 4, 9, 8});
  const Attention found = attention(q, k, v, {.mask = attention_mask(9, 9, true, {}, torch::kFloat64)});
  EXPECT_TRUE(tensors_close(found.output, at::scaled_dot_product_attention(q, k, v, {}, 0.0, true), 1e-12));
}
#endif

/// The message of the BadInput that these shapes give.
std::string refusal(std::vector<std::int64_t> q, std::vector<std::int64_t> k, std::vector<std::int64_t> v) {
  try {
    attention(torch::zeros(q), torch::zeros(k), torch::zeros(v));
  } catch (const BadInput& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Attention, RefusesShapesThatDoNotFit) {
  EXPECT_EQ(refusal({3, 4}, {3, 5}, {3, 4}),
            "attention needs queries and keys of one size d_k (the last dimension), found queries [3, 4], keys [3, 5], "
            "values [3, 4]");
  EXPECT_EQ(refusal({3, 4}, {3, 4}, {2, 4}),
            "attention needs one value a key, found queries [3, 4], keys [3, 4], values [2, 4]");
  EXPECT_EQ(refusal({3, 2, 4}, {2, 2, 4}, {2, 2, 4}),
            "attention needs queries whose heads are a multiple of the keys' heads, found queries [3, 2, 4], keys [2, "
            "2, 4], values [2, 2, 4]");
  EXPECT_EQ(refusal({4}, {4}, {4}),
            "attention needs three tensors [..., T, d] with equally many dimensions, found queries [4], keys [4], "
            "values [4]");
}

}  // namespace
}  // namespace tinylm::ops
