#include "inspect/practice/exercise_text.h"

#include <gtest/gtest.h>

namespace tinylm {
namespace {

/// Token 2 of 3 under the causal_text_exercise mask: scores 1, 2, 0; weights exp(-1) / (exp(-1) + 1) = 0.269, 0.731, 0;
/// output 2.462.
Exercise causal_text_exercise() {
  AttentionInputs inputs;
  inputs.q = parse_rows("1;2", "queries");
  inputs.k = parse_rows("1;2;0", "keys");
  inputs.v = parse_rows("1;3;5", "values");
  inputs.causal = true;
  return {.worked = work_attention(inputs)};
}

TEST(ExerciseText, StatesWhatIsGiven) {
  EXPECT_EQ(given_text(causal_text_exercise()),
            "  q2 = [1]   <- asked for\n"
            "  q3 = [2]\n"
            "  k1 = [1]              v1 = [1]\n"
            "  k2 = [2]              v2 = [3]\n"
            "  k3 = [0]              v3 = [5]\n"
            "  Causal mask: 3 tokens, key j belongs to token j; asked for is token 2.");
  EXPECT_EQ(given_text({.worked = work_attention(example_inputs())}),
            "  q  = [0, 1]\n"
            "  k1 = [1, 0]           v1 = [6, 0]\n"
            "  k2 = [0, 1]           v2 = [0, 3]\n"
            "  No mask: the query may look at every key.");
}

TEST(ExerciseText, AsksForEachStep) {
  EXPECT_EQ(question_text(causal_text_exercise(), Step::kScores),
            "Scaled scores before the mask, q2 . k_j / sqrt(1), one for each key:");
  EXPECT_EQ(question_text(causal_text_exercise(), Step::kWeights),
            "Weights, the softmax of the masked scores, one for each key:");
  EXPECT_EQ(question_text(causal_text_exercise(), Step::kOutput),
            "Output, the values mixed with the weights, one number:");
  const Exercise plain{.worked = work_attention(example_inputs())};
  EXPECT_EQ(question_text(plain, Step::kScores), "Scaled scores, q . k_j / sqrt(2), one for each key:");
  EXPECT_EQ(question_text(plain, Step::kWeights), "Weights, the softmax of the scores, one for each key:");
  EXPECT_EQ(question_text(plain, Step::kOutput), "Output, the values mixed with the weights, 2 numbers:");
}

TEST(ExerciseText, WorksOutEveryNumberOfAStep) {
  EXPECT_EQ(solution_text(causal_text_exercise(), Step::kScores),
            "  score 1: (1*1) / sqrt(1) = 1\n"
            "  score 2: (1*2) / sqrt(1) = 2\n"
            "  score 3: (1*0) / sqrt(1) = 0");
  EXPECT_EQ(solution_text(causal_text_exercise(), Step::kWeights),
            "  weight 1: exp(1 - 2) / (0.368 + 1) = 0.269\n"
            "  weight 2: exp(2 - 2) / (0.368 + 1) = 0.731\n"
            "  weight 3: 0, because the mask hides this key\n"
            "  (Subtracting the largest score, 2, changes no weight and keeps exp small.)");
  EXPECT_EQ(solution_text(causal_text_exercise(), Step::kOutput), "  output 1: 0.269*1 + 0.731*3 + 0*5 = 2.462");
}

TEST(ExerciseText, SumsUpAllNumbers) {
  EXPECT_EQ(summary_text(causal_text_exercise()),
            "  dot products  1, 2, 0\n"
            "  scores        1, 2, 0 (divided by sqrt(1))\n"
            "  masked        1, 2, -inf\n"
            "  exponentials  0.368, 1, 0 (of score - largest), sum 1.368\n"
            "  weights       0.269, 0.731, 0\n"
            "  output        2.462");
}

}  // namespace
}  // namespace tinylm
