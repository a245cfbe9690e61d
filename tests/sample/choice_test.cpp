#include "sample/choice.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tinylm {
namespace {

std::vector<float> logits_with(const std::vector<double>& probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)) + 5.0F);
  return logits;
}

TEST(Choice, HasTheModelsOwnLogProbability) {
  EXPECT_NEAR(choice_of(logits_with({0.5, 0.25, 0.125, 0.125}), 1).log_probability, std::log(0.25), 1e-6);
}

TEST(Choice, EntropyIsOneAndThreeQuarterBitsForAHalfAQuarterAndTwoEighths) {
  EXPECT_NEAR(choice_of(logits_with({0.5, 0.25, 0.125, 0.125}), 0).entropy_nats, 1.75 * std::log(2.0), 1e-6);
}

TEST(Choice, EntropyGoesFromNothingForACertainTokenToThatOfAnEvenGuess) {
  EXPECT_EQ(choice_of(std::vector<float>{0.0F, 3e38F, 0.0F}, 1).entropy_nats, 0.0);
  EXPECT_NEAR(choice_of(std::vector<float>(8, -7.0F), 1).entropy_nats, std::log(8.0), 1e-12);
}

TEST(Choice, ListsTheLikeliestTokensTiesByTheSmallerId) {
  const Choice choice = choice_of(logits_with({0.125, 0.5, 0.125, 0.25}), 2, 3);
  ASSERT_EQ(choice.alternatives.size(), 3U);
  EXPECT_EQ(choice.alternatives[0].id, 1);
  EXPECT_EQ(choice.alternatives[1].id, 3);
  EXPECT_EQ(choice.alternatives[2].id, 0);
  EXPECT_NEAR(choice.alternatives[1].log_probability, std::log(0.25), 1e-6);
}

TEST(Choice, ListsAtMostAllTokensAndNoneUnlessAsked) {
  EXPECT_EQ(choice_of(std::vector<float>(3, 0.0F), 0, 10).alternatives.size(), 3U);
  EXPECT_TRUE(choice_of(std::vector<float>(3, 0.0F), 0).alternatives.empty());
}

}  // namespace
}  // namespace tinylm
