#include "inspect/practice/judgement.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "inspect/practice/mistakes.h"
#include "inspect/practice/typed_numbers.h"

namespace tinylm {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

torch::Tensor answer_of(std::vector<double> values) {
  return torch::tensor(values, torch::kFloat64);
}

Exercise exercise_of(const char* q, const char* k, const char* v, bool causal = false) {
  AttentionInputs inputs;
  inputs.q = parse_rows(q, "queries");
  inputs.k = parse_rows(k, "keys");
  inputs.v = parse_rows(v, "values");
  inputs.causal = causal;
  return {.worked = work_attention(inputs)};
}

/// Dot products 4 and -2, scores 2 and -1, weights 0.953 and 0.047, output 5.810.
Exercise plain() {
  return exercise_of("2,1,0,1", "1,1,0,1;-1,0,3,0", "6;2");
}

/// Scores 1, 2, 0 (of the other query: 2, 4, 0), weights 0.269, 0.731, 0, output 2.462.
Exercise causal_exercise() {
  return exercise_of("1;2", "1;2;0", "1;3;5", true);
}

std::string why(const Exercise& exercise, Step step, std::vector<double> answer, const EarlierAnswers& earlier = {}) {
  const Verdict verdict = judge(exercise, step, answer_of(std::move(answer)), earlier);
  return verdict.right ? "right" : verdict.why;
}

#define EXPECT_SAYS(sentence, part) EXPECT_NE((sentence).find(part), std::string::npos) << (sentence)

TEST(Judgement, AcceptsTwoDecimals) {
  EXPECT_EQ(why(plain(), Step::kScores, {2, -1}), "right");
  EXPECT_EQ(why(plain(), Step::kWeights, {0.95, 0.05}), "right");
  EXPECT_EQ(why(plain(), Step::kOutput, {5.81}), "right");
}

TEST(Judgement, RefusesAnAnswerJustBeyondTheTolerance) {
  EXPECT_EQ(why(plain(), Step::kScores, {2.0199, -1}), "right");
  EXPECT_NE(why(plain(), Step::kScores, {2.0201, -1}), "right");
}

TEST(Judgement, RecognisesScoresThatWereNotScaled) {
  EXPECT_SAYS(why(plain(), Step::kScores, {4, -2}), "plain dot products");
}

TEST(Judgement, RecognisesScoresDividedByKeySize) {
  EXPECT_SAYS(why(plain(), Step::kScores, {1, -0.5}), "divided by d_k");
}

TEST(Judgement, RecognisesScoresMultipliedByTheRoot) {
  EXPECT_SAYS(why(plain(), Step::kScores, {8, -4}), "multiplied by sqrt(d_k)");
}

TEST(Judgement, RecognisesProductsThatWereNotAddedUp) {
  EXPECT_SAYS(why(plain(), Step::kScores, {2, 1, 0, 1, -2, 0, 0, 0}), "products of the single pairs");
}

TEST(Judgement, RecognisesTheFirstPairAlone) {
  EXPECT_SAYS(why(plain(), Step::kScores, {2, -2}), "Only the first numbers");
  const Exercise with_zeros = exercise_of("1,1", "3,0;-2,3", "1;2");  // first pairs alone: 3 and -2
  EXPECT_SAYS(why(with_zeros, Step::kScores, {3 / std::sqrt(2), -2 / std::sqrt(2)}), "Only the first numbers");
}

TEST(Judgement, RecognisesScoresOfTheOtherQuery) {
  EXPECT_SAYS(why(causal_exercise(), Step::kScores, {2, 4, 0}), "scores of the other query");
}

TEST(Judgement, RecognisesSoftmaxOfDotProducts) {
  // exp(6) / (1 + exp(6)) = 0.9975.
  EXPECT_SAYS(why(exercise_of("2,0", "1,0;0,1", "1;2"), Step::kWeights, {0.88, 0.12}), "softmax of the plain dot");
}

TEST(Judgement, RecognisesExponentialsThatWereNotNormalised) {
  EXPECT_SAYS(why(plain(), Step::kWeights, {7.39, 0.37}), "divide each by their sum");
  EXPECT_SAYS(why(causal_exercise(), Step::kWeights, {0.37, 1, 0}), "divide each by their sum");
}

TEST(Judgement, RecognisesScoresNormalisedWithoutExp) {
  EXPECT_SAYS(why(plain(), Step::kWeights, {2, -1}), "take exp of each score first");
}

TEST(Judgement, RecognisesBaseTwo) {
  EXPECT_SAYS(why(plain(), Step::kWeights, {0.89, 0.11}), "powers of 2");
}

TEST(Judgement, RecognisesReversedWeights) {
  EXPECT_SAYS(why(plain(), Step::kWeights, {0.05, 0.95}), "reversed");
}

TEST(Judgement, RecognisesAForgottenMask) {
  EXPECT_SAYS(why(causal_exercise(), Step::kWeights, {0.24, 0.67, 0.09}), "hidden key got a weight");
  EXPECT_SAYS(why(causal_exercise(), Step::kOutput, {2.69}), "hidden key's value");
}

TEST(Judgement, RecognisesAMaskAfterTheSoftmax) {
  EXPECT_SAYS(why(causal_exercise(), Step::kWeights, {0.245, 0.665, 0}), "no longer add up to 1");
  EXPECT_SAYS(why(causal_exercise(), Step::kOutput, {2.24}), "do not add up to 1");
}

TEST(Judgement, RecognisesWeightsOfTheOtherQuery) {
  EXPECT_SAYS(why(causal_exercise(), Step::kWeights, {0.12, 0.87, 0.02}), "weights of the other query");
  EXPECT_SAYS(why(causal_exercise(), Step::kOutput, {2.80}), "weights of the other query");
}

TEST(Judgement, RecognisesMixedKeys) {
  EXPECT_SAYS(why(plain(), Step::kOutput, {0.905, 0.953, 0.142, 0.953}), "keys were mixed");
}

TEST(Judgement, RecognisesThePlainMeanOfTheValues) {
  EXPECT_SAYS(why(plain(), Step::kOutput, {4}), "plain mean");
  EXPECT_SAYS(why(causal_exercise(), Step::kOutput, {2}), "plain mean");
}

TEST(Judgement, RecognisesValuesTimesScores) {
  EXPECT_SAYS(why(plain(), Step::kOutput, {10}), "multiplied by the scores");
}

TEST(Judgement, RecognisesValuesTimesExponentials) {
  EXPECT_SAYS(why(plain(), Step::kOutput, {45.07}), "multiplied by the exponentials");
  EXPECT_SAYS(why(plain(), Step::kOutput, {6.10}), "multiplied by the exponentials");
}

TEST(Judgement, RecognisesValuesMixedInReversedOrder) {
  EXPECT_SAYS(why(plain(), Step::kOutput, {2.19}), "used in reversed order");
}

TEST(Judgement, TakesMinusInfinityForTheScoreOfAHiddenKeyOnly) {
  EXPECT_EQ(why(causal_exercise(), Step::kScores, {1, 2, kMinusInfinity}), "right");
  EXPECT_SAYS(why(causal_exercise(), Step::kScores, {1, kMinusInfinity, 0}), "You gave -inf");
}

TEST(Judgement, SaysThatAStepFollowsFromAWrongStepBefore) {
  EXPECT_EQ(why(plain(), Step::kWeights, {0.73, 0.27}, {.scores = answer_of({1, 0})}),
            "This follows correctly from the scores you gave; it is the scores that are off.");
  EXPECT_EQ(why(plain(), Step::kOutput, {3}, {.weights = answer_of({0.25, 0.75})}),
            "This follows correctly from the weights you gave; it is the weights that are off.");
}

TEST(Judgement, SaysThatAStepFollowsRatherThanThatTheSameMistakeIsNew) {
  const Exercise exercise = exercise_of("2,0", "1,0;0,1", "1;2");
  EXPECT_SAYS(why(exercise, Step::kWeights, {0.88, 0.12}, {.scores = answer_of({2, 0})}), "follows correctly");
}

TEST(Judgement, AcceptsWhatFollowsFromARoundedRightAnswer) {
  const Exercise exercise = exercise_of("2,1,0,1", "1,1,0,1;-1,0,3,0", "1;-20");  // output 0.004
  EXPECT_NE(why(exercise, Step::kOutput, {-0.05}), "right");
  EXPECT_EQ(why(exercise, Step::kOutput, {-0.05}, {.weights = answer_of({0.95, 0.05})}), "right");
}

TEST(Judgement, StartsFromNoAnswerBeforeThatCannotBeUsed) {
  const std::string sentence = "The first number that is off is weight 1: ";
  for (const auto& scores : {answer_of({1}), answer_of({kMinusInfinity, 1}), answer_of({1e308, -1e308})}) {
    EXPECT_SAYS(why(plain(), Step::kWeights, {0.5, 0.5}, {.scores = scores}), sentence);
  }
}

TEST(Judgement, NamesTheFirstNumberThatIsOff) {
  EXPECT_EQ(why(plain(), Step::kScores, {2, 3}),
            "The first number that is off is score 2: (2*(-1) + 1*0 + 0*3 + 1*0) / sqrt(4). You gave 3.");
  EXPECT_EQ(why(plain(), Step::kWeights, {0.5, 0.5}),
            "The first number that is off is weight 1: exp(2 - 2) / (1 + 0.05). You gave 0.5.");
  EXPECT_EQ(why(causal_exercise(), Step::kWeights, {0.27, 0.73, 0.5}),
            "The first number that is off is weight 3: 0, because the mask hides this key. You gave 0.5.");
  EXPECT_EQ(why(plain(), Step::kOutput, {1}),
            "The first number that is off is output 1: 0.953*6 + 0.047*2. You gave 1.");
}

TEST(Judgement, NamesTheCountThatIsNeeded) {
  EXPECT_EQ(why(plain(), Step::kScores, {2}),
            "Expected 2 numbers, one for each key, found 1. Write decimals with a point, as in 0.71.");
  EXPECT_EQ(why(plain(), Step::kOutput, {5, 81}),
            "Expected 1 number, found 2. Write decimals with a point, as in 0.71.");
}

torch::Tensor to_two_decimals(const torch::Tensor& values) {
  return (values * 100).round() / 100;
}

TEST(Judgement, AcceptsRoundedRightAnswersAndNamesEveryMistakeOfMadeExercises) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Exercise exercise = make_exercise(seed, seed % 3);
    for (const Step step : {Step::kScores, Step::kWeights, Step::kOutput}) {
      EXPECT_TRUE(judge(exercise, step, to_two_decimals(right_answer(exercise, step))).right) << "seed " << seed;
      for (const Mistake& mistake : usual_mistakes(exercise, step)) {
        const Verdict verdict = judge(exercise, step, to_two_decimals(mistake.answer));
        EXPECT_EQ(verdict.why, mistake.why) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace tinylm
