#include "inspect/attention_patterns.h"

#include <cmath>

#include <gtest/gtest.h>

#include "testing/tensors.h"

namespace tinylm {
namespace {

const torch::Tensor kIds = torch::tensor({4, 9, 4, 9, 9, 1}, torch::kInt64);

/// A head that looks at `keys[q]` alone: [1, 1, T, T].
torch::Tensor head_looking_at(const std::vector<std::int64_t>& keys) {
  const auto T = static_cast<std::int64_t>(keys.size());
  torch::Tensor weights = torch::zeros({1, 1, T, T});
  for (std::int64_t q = 0; q < T; ++q) weights[0][0][q][keys[static_cast<std::size_t>(q)]] = 1.0F;
  return weights;
}

torch::Tensor uniform_head(std::int64_t T) {
  return (torch::ones({T, T}).tril() / torch::arange(1, T + 1, torch::kFloat32).unsqueeze(1)).view({1, 1, T, T});
}

double only(const PatternScore& score) {
  return score.values.item<double>();
}

TEST(Patterns, AreOneWhereTheirDefinitionSays) {
  EXPECT_TRUE(testing::tensors_equal(duplicate_token_pattern(kIds), torch::tensor({{0, 0, 0, 0, 0, 0},
                                                                                   {0, 0, 0, 0, 0, 0},
                                                                                   {1, 0, 0, 0, 0, 0},
                                                                                   {0, 1, 0, 0, 0, 0},
                                                                                   {0, 1, 0, 1, 0, 0},
                                                                                   {0, 0, 0, 0, 0, 0}},
                                                                                  torch::kFloat32)));
  // Row 4: the earlier 9s stand at 1, 3 (and 4 itself, whose next token is later): keys 2 and 4.
  EXPECT_TRUE(testing::tensors_equal(induction_pattern(kIds), torch::tensor({{0, 0, 0, 0, 0, 0},
                                                                             {0, 0, 0, 0, 0, 0},
                                                                             {0, 1, 0, 0, 0, 0},
                                                                             {0, 0, 1, 0, 0, 0},
                                                                             {0, 0, 1, 0, 1, 0},
                                                                             {0, 0, 0, 0, 0, 0}},
                                                                            torch::kFloat32)));
}

TEST(PatternScore, OfPerfectHeadsIsOne) {
  EXPECT_DOUBLE_EQ(only(pattern_score(head_looking_at({0, 0, 1, 2, 3, 4}), previous_token_pattern(6), true)), 1.0);
  const PatternScore duplicate =
      pattern_score(head_looking_at({0, 0, 0, 1, 3, 0}), duplicate_token_pattern(kIds), true);
  EXPECT_DOUBLE_EQ(only(duplicate), 1.0);
  EXPECT_EQ(duplicate.rows, 3);
  const PatternScore induction = pattern_score(head_looking_at({0, 0, 1, 2, 4, 0}), induction_pattern(kIds), true);
  EXPECT_DOUBLE_EQ(only(induction), 1.0);
  EXPECT_EQ(induction.rows, 3);
}

TEST(PatternScore, OfAUniformHeadIsTheBaseline) {
  for (const auto& pattern :
       {previous_token_pattern(6), duplicate_token_pattern(kIds), induction_pattern(kIds), distance_pattern(6, 2, 3)}) {
    const PatternScore score = pattern_score(uniform_head(6), pattern, true);
    EXPECT_NEAR(only(score), score.uniform, 1e-7);
  }
  // By hand: rows 2, 3 and 4 have 1 of 3, 1 of 4 and 2 of 5 keys.
  EXPECT_DOUBLE_EQ(pattern_score(uniform_head(6), duplicate_token_pattern(kIds), true).uniform,
                   (1.0 / 3 + 1.0 / 4 + 2.0 / 5) / 3);
}

TEST(PatternScore, OfAUniformHeadWithoutMaskCountsLaterKeys) {
  const PatternScore score = pattern_score(torch::full({1, 1, 4, 4}, 0.25), previous_token_pattern(4), false);
  EXPECT_NEAR(only(score), 0.25, 1e-7);
  EXPECT_DOUBLE_EQ(score.uniform, 0.25);
}

TEST(PatternScore, IsTheMeanOverTextsToo) {
  const torch::Tensor two = torch::stack({head_looking_at({0, 0, 1})[0], head_looking_at({0, 1, 1})[0]}).unsqueeze(0);
  EXPECT_DOUBLE_EQ(only(pattern_score(two, previous_token_pattern(3), true)), 0.75);  // 1 and 0.5; [1, 2, 1, 3, 3]
}

TEST(PatternScore, WithoutAMatchIsNotANumber) {
  const torch::Tensor ids = torch::tensor({1, 2, 3}, torch::kInt64);
  const PatternScore score = pattern_score(uniform_head(3), duplicate_token_pattern(ids), true);
  EXPECT_TRUE(std::isnan(only(score)));
  EXPECT_TRUE(std::isnan(score.uniform));
  EXPECT_EQ(score.rows, 0);
  EXPECT_TRUE(std::isnan(only(pattern_score(uniform_head(1), previous_token_pattern(1), true))));
}

TEST(EntropyScore, IsZeroForOneKeyAndOneForAllAlike) {
  EXPECT_DOUBLE_EQ(only(entropy_score(head_looking_at({0, 0, 1, 3}), true)), 0.0);
  EXPECT_NEAR(only(entropy_score(uniform_head(7), true)), 1.0, 1e-6);
  torch::Tensor weights = uniform_head(2);
  weights[0][0][1] = torch::tensor({0.25F, 0.75F});
  const double by_hand = -(0.25 * std::log(0.25) + 0.75 * std::log(0.75)) / std::log(2.0);
  EXPECT_NEAR(only(entropy_score(weights, true)), by_hand, 1e-7);
  EXPECT_TRUE(std::isnan(only(entropy_score(uniform_head(1), true))));
}

TEST(FirstTokenScore, IsTheMeanWeightOnIt) {
  EXPECT_DOUBLE_EQ(only(first_token_score(head_looking_at({0, 0, 0, 0}), true)), 1.0);
  const PatternScore score = first_token_score(uniform_head(3), true);
  EXPECT_DOUBLE_EQ(score.uniform, (1.0 / 2 + 1.0 / 3) / 2);
  EXPECT_NEAR(only(score), score.uniform, 1e-7);
  EXPECT_EQ(score.rows, 2);
}

}  // namespace
}  // namespace tinylm
