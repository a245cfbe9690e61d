// Attention whose right answers can be worked out by hand, under every way of computing the products.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model/ops/attention.h"
#include "model/ops/attention_steps.h"
#include "testing/tensors.h"

namespace tinylm::ops {
namespace {

using tinylm::testing::tensors_close;
using tinylm::testing::tensors_equal;

struct Way {
  Ops ops;
  torch::ScalarType dtype;
  double tolerance;
};

class KnownAttention : public ::testing::TestWithParam<Way> {
 protected:
  torch::Tensor rows(const std::vector<std::vector<double>>& values) const {
    std::vector<torch::Tensor> result;
    for (const auto& row : values) result.push_back(torch::tensor(row, GetParam().dtype));
    return torch::stack(result);
  }
  Attention attend(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v, bool causal = false,
                   const torch::Tensor& mask = {}) const {
    return attention(
        q, k, v, {.mask = attention_mask(q.size(0), k.size(0), causal, mask, GetParam().dtype), .ops = GetParam().ops});
  }
  ::testing::AssertionResult close(const torch::Tensor& found, const std::vector<std::vector<double>>& expected) const {
    return tensors_close(found, rows(expected), GetParam().tolerance);
  }
};

INSTANTIATE_TEST_SUITE_P(Ways, KnownAttention,
                         ::testing::Values(Way{Ops::kPlain, torch::kFloat64, 1e-12},
                                           Way{Ops::kAuto, torch::kFloat64, 1e-12},
                                           Way{Ops::kPlain, torch::kFloat32, 2e-6},
                                           Way{Ops::kAuto, torch::kFloat32, 2e-6}),
                         [](const auto& way) {
                           return std::string(way.param.ops == Ops::kPlain ? "plain" : "auto") +
                                  (way.param.dtype == torch::kFloat64 ? "Float64" : "Float32");
                         });

// w = e^(1/sqrt 2) / (1 + e^(1/sqrt 2)): the weight of a key that matches by 1 in two dimensions beside one that does
// not.
const double kMatch = std::exp(1 / std::sqrt(2.0)) / (1 + std::exp(1 / std::sqrt(2.0)));

TEST_P(KnownAttention, AQueryThatMatchesTheSecondKey) {
  const Attention found = attend(rows({{0, 1}}), rows({{1, 0}, {0, 1}}), rows({{6, 0}, {0, 3}}));
  EXPECT_TRUE(close(found.weights, {{1 - kMatch, kMatch}}));
  EXPECT_TRUE(close(found.output, {{6 * (1 - kMatch), 3 * kMatch}}));
  EXPECT_NEAR(1 - kMatch, 0.3302, 5e-5);
  if (GetParam().dtype == torch::kFloat64) {
    EXPECT_NEAR(found.output[0][0].item<double>(), 1.981430704, 1e-8);
  }
  EXPECT_NEAR(found.output[0][1].item<double>(), 2.0093, 5e-5);
}

TEST_P(KnownAttention, AQueryThatMatchesTheFirstKey) {
  const Attention found = attend(rows({{1, 0}}), rows({{1, 0}, {0, 1}}), rows({{2, 0}, {0, 4}}));
  EXPECT_TRUE(close(found.weights, {{kMatch, 1 - kMatch}}));
  EXPECT_NEAR(found.weights[0][0].item<double>(), 0.6698, 5e-5);
  EXPECT_NEAR(found.output[0][0].item<double>(), 1.3395, 5e-5);
  EXPECT_NEAR(found.output[0][1].item<double>(), 1.3210, 5e-5);
}

TEST_P(KnownAttention, AMaskedKeyGetsNothing) {
  const Attention found =
      attend(rows({{1, 0}}), rows({{1, 0}, {0, 1}}), rows({{2, 0}, {0, 4}}), false, torch::tensor({{true, false}}));
  EXPECT_TRUE(tensors_equal(found.weights, rows({{1, 0}})));
  EXPECT_TRUE(close(found.output, {{2, 0}}));
}

TEST_P(KnownAttention, TheBetterMatchGivesMoreOfItsValue) {
  const torch::Tensor output = attend(rows({{1}}), rows({{0}, {1}}), rows({{2, 0}, {0, 2}})).output;
  EXPECT_GT(output[0][1].item<double>(), output[0][0].item<double>());
}

TEST_P(KnownAttention, AZeroQueryLooksAtAllAllowedKeysAlike) {
  const torch::Tensor k = rows({{3, -1}, {0, 7}, {2, 2}}), v = rows({{1, 0}, {0, 1}, {1, 1}}), q = rows({{0, 0}});
  EXPECT_TRUE(close(attend(q, k, v).weights, {{1 / 3.0, 1 / 3.0, 1 / 3.0}}));
  EXPECT_TRUE(close(attend(q, k, v, false, torch::tensor({{true, false, true}})).weights, {{0.5, 0, 0.5}}));
}

TEST_P(KnownAttention, ASingleKeyGetsAll) {
  const Attention found = attend(rows({{5, -2}}), rows({{-3, 1}}), rows({{4, 9}}));
  EXPECT_TRUE(tensors_equal(found.weights, rows({{1}})));
  EXPECT_TRUE(close(found.output, {{4, 9}}));
}

TEST_P(KnownAttention, EqualKeysGetEqualWeightsWhateverTheirValues) {
  const torch::Tensor q = rows({{0.3, 2}}), k = rows({{1, 2}, {1, 2}});
  const torch::Tensor one = attend(q, k, rows({{1, 1}, {9, -9}})).weights;
  EXPECT_TRUE(close(one, {{0.5, 0.5}}));
  EXPECT_TRUE(tensors_equal(one, attend(q, k, rows({{0, 0}, {1, 0}})).weights));
}

TEST_P(KnownAttention, HugeScoresStayFinite) {
  // Scores of 1e4 and 0, then two of 1e4: without the subtracted maximum exp(1e4) would overflow.
  const torch::Tensor v = rows({{2, 0}, {0, 4}});
  EXPECT_TRUE(close(attend(rows({{100, 0}}), rows({{100 * std::sqrt(2.0), 0}, {0, 1}}), v).weights, {{1, 0}}));
  EXPECT_TRUE(tensors_equal(attend(rows({{100, 0}}), rows({{200, 0}, {200, 0}}), v).weights, rows({{0.5, 0.5}})));
}

TEST_P(KnownAttention, AHugeScoreInAForbiddenColumnGetsExactlyZero) {
  const torch::Tensor k = rows({{1}, {1e4}}), v = rows({{1}, {5}});
  const Attention masked = attend(rows({{1e3}}), k, v, false, torch::tensor({{true, false}}));
  EXPECT_TRUE(tensors_equal(masked.weights, rows({{1, 0}})));
  const Attention causal = attend(rows({{1e3}, {1e3}}), k, v, true);
  EXPECT_TRUE(tensors_equal(causal.weights, rows({{1, 0}, {0, 1}})));
}

TEST_P(KnownAttention, TheFirstCausalRowIsAlwaysTheFirstKeyAlone) {
  torch::manual_seed(11);
  for (int i = 0; i < 20; ++i) {
    const torch::Tensor q = torch::randn({4, 3}, GetParam().dtype) * 50, k = torch::randn({4, 3}, GetParam().dtype),
                        v = torch::randn({4, 2}, GetParam().dtype);
    EXPECT_TRUE(tensors_equal(attend(q, k, v, true).weights.slice(0, 0, 1), rows({{1, 0, 0, 0}})));
  }
}

TEST_P(KnownAttention, ChangingValuesChangesOutputsAndNotWeights) {
  const torch::Tensor q = rows({{0, 1}}), k = rows({{1, 0}, {0, 1}});
  const Attention before = attend(q, k, rows({{6, 0}, {0, 3}})), after = attend(q, k, rows({{6, 0}, {0, 4}}));
  EXPECT_TRUE(tensors_equal(before.weights, after.weights));
  EXPECT_NE(before.output[0][1].item<double>(), after.output[0][1].item<double>());
}

TEST(AttentionSteps, LeadFromDotProductsToTheWeightsAndOutputOfAttention) {
  torch::manual_seed(12);
  const torch::Tensor q = torch::randn({5, 4}, torch::kFloat64), k = torch::randn({5, 4}, torch::kFloat64),
                      v = torch::randn({5, 3}, torch::kFloat64);
  const AttentionMask mask = attention_mask(5, 5, true, {}, torch::kFloat64);
  const AttentionSteps steps = attention_steps(q, k, v, mask);
  EXPECT_EQ(steps.scale, 0.5);  // 1 / sqrt(4)
  EXPECT_TRUE(tensors_close(steps.scores, steps.dot_products * 0.5, 0.0));
  EXPECT_TRUE(tensors_close(steps.exponentials / steps.sums, steps.weights, 1e-12));
  EXPECT_TRUE(tensors_close(torch::matmul(steps.weights, v), steps.output, 1e-12));
  EXPECT_TRUE(tensors_equal(steps.allowed, torch::ones({5, 5}, torch::kBool).tril()));
  EXPECT_EQ(steps.largest[0].item<double>(), steps.scores[0][0].item<double>());
}

TEST(AttentionSteps, OfARowWithoutAnAllowedKeyAreZero) {
  const torch::Tensor x = torch::ones({1, 2}, torch::kFloat64);
  const AttentionMask mask = attention_mask(1, 1, false, torch::tensor({{false}}), torch::kFloat64);
  const AttentionSteps steps = attention_steps(x, x, x, mask);
  for (const torch::Tensor& zero : {steps.largest, steps.exponentials, steps.sums, steps.weights})
    EXPECT_EQ(zero.item<double>(), 0.0);
  EXPECT_TRUE(tensors_equal(steps.output, torch::zeros({1, 2}, torch::kFloat64)));
}

}  // namespace
}  // namespace tinylm::ops
