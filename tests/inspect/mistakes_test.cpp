#include "inspect/practice/mistakes.h"

#include <algorithm>
#include <string_view>

#include <gtest/gtest.h>

namespace tinylm {
namespace {

Exercise exercise_of(const char* q, const char* k, bool causal) {
  AttentionInputs inputs;
  inputs.q = parse_rows(q, "queries");
  inputs.k = parse_rows(k, "keys");
  inputs.v = parse_rows("1;3", "values");
  inputs.causal = causal;
  return {.worked = work_attention(inputs)};
}

bool offers(const Exercise& exercise, Step step, std::string_view part) {
  const std::vector<Mistake> mistakes = usual_mistakes(exercise, step);
  return std::any_of(mistakes.begin(), mistakes.end(),
                     [&](const Mistake& mistake) { return mistake.why.find(part) != std::string_view::npos; });
}

TEST(UsualMistakes, NeedLongKeysForAMistakenScale) {
  EXPECT_TRUE(offers(exercise_of("1,1", "1,0;0,2", false), Step::kScores, "sqrt(d_k)"));
  EXPECT_TRUE(usual_mistakes(exercise_of("1", "1;2", false), Step::kScores).empty());
}

TEST(UsualMistakes, NeedAMaskAndAnotherQueryForForgettingThem) {
  for (const std::string_view part : {"hidden key", "other query"}) {
    EXPECT_TRUE(offers(exercise_of("1;2", "1;2", true), Step::kWeights, part)) << part;
    EXPECT_FALSE(offers(exercise_of("1", "1;2", true), Step::kWeights, part)) << part;
  }
}

TEST(UsualMistakes, LeaveOutSharesOfScoresThatAddUpToZero) {
  EXPECT_TRUE(offers(exercise_of("1", "1;2", false), Step::kWeights, "divided by their sum: take exp"));
  EXPECT_FALSE(offers(exercise_of("1", "1;-1", false), Step::kWeights, "divided by their sum: take exp"));
}

}  // namespace
}  // namespace tinylm
