#include "inspect/practice/exercise.h"

#include <limits>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "core/errors.h"
#include "inspect/practice/mistakes.h"
#include "inspect/practice/typed_numbers.h"

namespace tinylm {
namespace {

constexpr std::uint64_t kSeeds = 200;

bool is_same(const AttentionInputs& a, const AttentionInputs& b) {
  return torch::equal(a.q, b.q) && torch::equal(a.k, b.k) && torch::equal(a.v, b.v) && a.causal == b.causal;
}

bool is_whole_and_between(const torch::Tensor& numbers, double smallest, double largest) {
  return torch::equal(numbers, numbers.round()) && numbers.min().item<double>() >= smallest &&
         numbers.max().item<double>() <= largest;
}

TEST(MakeExercise, GivesTheSameForTheSameSeedAndNumber) {
  EXPECT_TRUE(is_same(make_exercise(7, 2).worked.inputs, make_exercise(7, 2).worked.inputs));
}

TEST(MakeExercise, DiffersBySeedAndByNumber) {
  const Exercise first = make_exercise(7, 0);
  EXPECT_FALSE(is_same(first.worked.inputs, make_exercise(8, 0).worked.inputs));
  EXPECT_FALSE(is_same(first.worked.inputs, make_exercise(7, 1).worked.inputs));
}

TEST(MakeExercise, DrawsSmallWholeNumbersAndSmallScores) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Exercise exercise = make_exercise(seed, 0);
    const AttentionInputs& inputs = exercise.worked.inputs;
    EXPECT_TRUE(is_whole_and_between(inputs.q, 1, 3)) << "seed " << seed;
    EXPECT_TRUE(is_whole_and_between(inputs.k, -2, 3)) << "seed " << seed;
    EXPECT_TRUE(is_whole_and_between(inputs.v, -1, 6)) << "seed " << seed;
    EXPECT_LE(right_answer(exercise, Step::kScores).abs().max().item<double>(), 3.0) << "seed " << seed;
  }
}

TEST(MakeExercise, DrawsEverySizeWithAndWithoutCausalMask) {
  std::set<std::tuple<std::int64_t, std::int64_t, bool>> with_key_sizes;  // Tk, d_k, causal
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const AttentionInputs inputs = make_exercise(seed, 0).worked.inputs;
    with_key_sizes.emplace(inputs.k.size(0), inputs.k.size(1), inputs.causal);
  }
  const std::set<std::tuple<std::int64_t, std::int64_t, bool>> expected = {{2, 1, false}, {2, 2, false}, {2, 4, false},
                                                                           {3, 1, false}, {3, 2, false}, {3, 4, false},
                                                                           {3, 1, true},  {3, 2, true},  {3, 4, true}};
  EXPECT_EQ(with_key_sizes, expected);
}

TEST(MakeExercise, HidesTheLastKeyFromTheQueryOfACausalExercise) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Exercise exercise = make_exercise(seed, 0);
    if (!exercise.worked.inputs.causal) continue;
    EXPECT_TRUE(torch::equal(allowed_keys(exercise), torch::tensor({true, true, false}))) << "seed " << seed;
  }
}

TEST(MakeExercise, KeepsEveryUsualMistakeAwayFromTheRightNumbers) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Exercise exercise = make_exercise(seed, 1);
    for (const Step step : {Step::kScores, Step::kWeights, Step::kOutput}) {
      for (const Mistake& mistake : usual_mistakes(exercise, step)) {
        EXPECT_GE(distance_in_tolerances(mistake.answer, right_answer(exercise, step)), 4.0)
            << "seed " << seed << ": " << mistake.why;
      }
    }
  }
}

TEST(RightAnswer, IsTheRowThatIsAskedFor) {
  AttentionInputs inputs;
  inputs.q = parse_rows("1;2", "queries");
  inputs.k = parse_rows("0;1", "keys");
  inputs.v = parse_rows("0;1", "values");
  const Exercise exercise{.worked = work_attention(inputs), .query = 1};
  // exp(2) / (1 + exp(2)) = 0.881.
  EXPECT_EQ(short_numbers(right_answer(exercise, Step::kScores)), "0, 2");
  EXPECT_EQ(short_numbers(right_answer(exercise, Step::kWeights)), "0.119, 0.881");
  EXPECT_EQ(short_numbers(right_answer(exercise, Step::kOutput)), "0.881");
}

TEST(WeightsFrom, IsTheSoftmaxOfTheAllowedScores) {
  const torch::Tensor scores = torch::tensor({1.0, 2.0, 9.0}, torch::kFloat64);
  EXPECT_EQ(short_numbers(weights_from(scores, torch::tensor({true, true, false}))), "0.269, 0.731, 0");
}

TEST(WeightsFrom, RefusesScoresThatAreNotFinite) {
  const torch::Tensor scores = torch::tensor({1.0, -std::numeric_limits<double>::infinity()}, torch::kFloat64);
  EXPECT_THROW(weights_from(scores, torch::tensor({true, true})), BadInput);
}

}  // namespace
}  // namespace tinylm
