#include "inspect/head_scores.h"

#include <cmath>

#include <gtest/gtest.h>

#include "inspect/example.h"

namespace tinylm {
namespace {

TEST(PreviousTokenScores, AreTheMeanWeightOnTheTokenBefore) {
  const HeadScores scores = previous_token_scores(test::example().attention);
  ASSERT_EQ(scores.values.sizes(), (std::vector<std::int64_t>{1, 2}));
  EXPECT_DOUBLE_EQ(scores.values[0][0].item<double>(), 0.0);
  EXPECT_NEAR(scores.values[0][1].item<double>(), (0.5 + 0.2) / 2, 1e-7);  // A[1,0] and A[2,1]
  EXPECT_DOUBLE_EQ(scores.uniform, (1.0 / 2 + 1.0 / 3) / 2);
}

TEST(PreviousTokenScores, OfAUniformHeadEqualTheBaseline) {
  const std::int64_t T = 7;
  const torch::Tensor rows = torch::arange(1, T + 1, torch::kFloat32).view({T, 1});
  const torch::Tensor uniform = (torch::ones({T, T}).tril() / rows).view({1, 1, T, T});
  const HeadScores scores = previous_token_scores(uniform);
  EXPECT_NEAR(scores.values[0][0].item<double>(), scores.uniform, 1e-7);
}

TEST(PreviousTokenScores, OfOneTokenAreNotANumber) {
  const HeadScores scores = previous_token_scores(torch::ones({2, 3, 1, 1}));
  EXPECT_TRUE(scores.values.isnan().all().item<bool>());
  EXPECT_TRUE(std::isnan(scores.uniform));
  EXPECT_EQ(sentence(scores), "The text is too short to say which head looks at the previous token.");
  EXPECT_EQ(table(scores, 80),
            "         H0    H1    H2\n"
            "   L0   n/a   n/a   n/a\n"
            "   L1   n/a   n/a   n/a\n");
}

HeadScores scores_of(const std::vector<std::vector<double>>& rows, double uniform) {
  HeadScores scores;
  scores.what = "the previous token";
  std::vector<torch::Tensor> layers;
  for (const std::vector<double>& row : rows) layers.push_back(torch::tensor(row, torch::kFloat64));
  scores.values = torch::stack(layers);
  scores.uniform = uniform;
  return scores;
}

TEST(Highest, IsTheFirstOfThoseAlike) {
  const HeadPlace place = highest(scores_of({{0.1, 0.2}, {0.4, 0.4}}, 0.12));
  EXPECT_EQ(place.layer, 1);
  EXPECT_EQ(place.head, 0);
}

TEST(Sentence, NamesTheHeadWithTheHighestScore) {
  EXPECT_EQ(sentence(scores_of({{0.1, 0.2, 0.3}, {0.05, 0.12, 0.814}}, 0.12)),
            "L1H2 (layer 1, head 2, counted from 0) looks most at the previous token: 0.81 (uniform 0.12).");
}

TEST(Sentence, SaysSoWhereNoHeadStandsOut) {
  EXPECT_EQ(sentence(scores_of({{0.12, 0.2}}, 0.12)),
            "No head looks clearly more at the previous token than chance: the most, L0H1, has 0.20 (uniform 0.12).");
}

TEST(Table, HasARowALayerAndAColumnAHead) {
  EXPECT_EQ(table(scores_of({{0.1, 0.25}, {0.0, 1.0}}, 0.5), 80),
            "         H0    H1\n"
            "   L0  0.10  0.25\n"
            "   L1  0.00  1.00\n");
}

TEST(Table, PutsAsManyHeadsSideBySideAsColumnsHold) {
  EXPECT_EQ(table(scores_of({{0.1, 0.2, 0.3}}, 0.5), 17),
            "         H0    H1\n"
            "   L0  0.10  0.20\n"
            "         H2\n"
            "   L0  0.30\n");
}

}  // namespace
}  // namespace tinylm
