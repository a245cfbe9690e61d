#include "inspect/practice/boundary_questions.h"

#include <cctype>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "inspect/worked_attention.h"

namespace tinylm {
namespace {

constexpr std::size_t kAll = 100;

/// The question of `seed` that has `part` in its text.
BoundaryQuestion question_with(const std::string& part, std::uint64_t seed) {
  for (const BoundaryQuestion& question : boundary_questions(seed, kAll)) {
    if (question.text.find(part) != std::string::npos) return question;
  }
  ADD_FAILURE() << "no question says " << part;
  return {};
}

/// The numbers in a question's text, in order.
std::vector<std::int64_t> numbers_in(const std::string& text) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!std::isdigit(static_cast<unsigned char>(text[i]))) continue;
    std::size_t used = 0;
    numbers.push_back(std::stoll(text.substr(i), &used));
    i += used;
  }
  return numbers;
}

AttentionInputs random_inputs(std::int64_t Tq, std::int64_t Tk, bool causal) {
  torch::manual_seed(1);
  AttentionInputs inputs;
  inputs.q = torch::randn({Tq, 2}, torch::kFloat64);
  inputs.k = torch::randn({Tk, 2}, torch::kFloat64);
  inputs.v = torch::randn({Tk, 2}, torch::kFloat64);
  inputs.causal = causal;
  return inputs;
}

/// TextPositions, counted from 1, whose rows of `changed` [T] are true.
TextPositions positions_of(const torch::Tensor& changed) {
  TextPositions positions;
  for (std::int64_t i = 0; i < changed.size(0); ++i) {
    if (changed[i].item<bool>()) positions.push_back(i + 1);
  }
  return positions;
}

TEST(BoundaryQuestions, ArePureFunctionsOfTheSeed) {
  const auto first = boundary_questions(5, 3), second = boundary_questions(5, 3);
  ASSERT_EQ(first.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(first[i].text, second[i].text);
}

TEST(BoundaryQuestions, DoNotRepeatThemselves) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::set<std::string> texts;
    for (const BoundaryQuestion& question : boundary_questions(seed, kAll)) texts.insert(question.text);
    EXPECT_EQ(texts.size(), boundary_questions(seed, kAll).size()) << "seed " << seed;
    EXPECT_GE(texts.size(), 6u);
  }
}

TEST(BoundaryQuestions, AcceptTheirOwnAnswerAndGiveAReason) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const BoundaryQuestion& question : boundary_questions(seed, kAll)) {
      EXPECT_EQ(is_right(question, right_answer_text(question)), std::optional<bool>(true)) << question.text;
      EXPECT_FALSE(question.reason.empty()) << question.text;
    }
  }
}

TEST(BoundaryQuestions, StateTheVisiblePositionsOfTheCausalMask) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const BoundaryQuestion question = question_with("look at?", seed);
    const auto given = numbers_in(question.text);  // T, t
    const WorkedAttention worked = work_attention(random_inputs(given[0], given[0], true));
    EXPECT_EQ(std::get<TextPositions>(question.right), positions_of(worked.steps.allowed[given[1] - 1]))
        << question.text;
  }
}

TEST(BoundaryQuestions, StateThePositionsThatAChangedTokenReaches) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const BoundaryQuestion question = question_with("is replaced", seed);
    const auto given = numbers_in(question.text);  // T, t
    AttentionInputs inputs = random_inputs(given[0], given[0], true);
    const torch::Tensor before = work_attention(inputs).steps.output;
    for (torch::Tensor* rows : {&inputs.q, &inputs.k, &inputs.v}) {
      *rows = rows->clone();
      rows->select(0, given[1] - 1).add_(1.0);
    }
    const torch::Tensor changed = (work_attention(inputs).steps.output != before).any(1);  // [T]
    EXPECT_EQ(std::get<TextPositions>(question.right), positions_of(changed)) << question.text;
  }
}

TEST(BoundaryQuestions, StateTheWeightOfAZeroQuery) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const BoundaryQuestion question = question_with("all zeros", seed);
    AttentionInputs inputs = random_inputs(1, numbers_in(question.text)[0], false);
    inputs.q.zero_();
    EXPECT_DOUBLE_EQ(std::get<double>(question.right), work_attention(inputs).steps.weights[0][0].item<double>());
  }
}

TEST(BoundaryQuestions, StateTheWeightOfASingleKeyAndOfTheFirstPosition) {
  EXPECT_EQ(std::get<double>(question_with("single key", 1).right),
            work_attention(random_inputs(1, 1, false)).steps.weights[0][0].item<double>());
  EXPECT_EQ(std::get<double>(question_with("position 1 give", 1).right),
            work_attention(random_inputs(3, 3, true)).steps.weights[0][0].item<double>());
}

TEST(BoundaryQuestions, StateTheOutputOfAQueryWithoutAKey) {
  AttentionInputs inputs = random_inputs(1, 2, false);
  inputs.mask = torch::zeros({1, 2}, torch::kFloat64);
  EXPECT_EQ(std::get<double>(question_with("hides every key", 1).right),
            work_attention(inputs).steps.output[0][0].item<double>());
}

TEST(BoundaryQuestions, CountTheWeightsOfACausalTable) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const BoundaryQuestion question = question_with("are not 0", seed);
    const std::int64_t T = numbers_in(question.text)[0];
    const WorkedAttention worked = work_attention(random_inputs(T, T, true));
    EXPECT_EQ(std::get<double>(question.right), worked.steps.weights.count_nonzero().item<double>());
  }
}

TEST(BoundaryQuestions, StateTheSpreadOfDotProducts) {
  torch::manual_seed(2);
  const BoundaryQuestion question = question_with("standard deviation", 3);
  const std::int64_t d_k = numbers_in(question.text)[0];
  const torch::Tensor q = torch::randn({20000, d_k}), k = torch::randn({20000, d_k});
  EXPECT_NEAR((q * k).sum(1).std().item<double>(), std::get<double>(question.right), 0.3);
}

BoundaryQuestion asked(std::variant<double, TextPositions, char> right) {
  return {.text = "?", .right = std::move(right), .reason = "."};
}

TEST(IsRight, TakesNumbersToATolerance) {
  EXPECT_EQ(is_right(asked(1.0 / 3), "0.33"), std::optional<bool>(true));
  EXPECT_EQ(is_right(asked(1.0 / 3), "1/3"), std::optional<bool>(true));
  EXPECT_EQ(is_right(asked(1.0 / 3), "0.3"), std::optional<bool>(false));
}

TEST(IsRight, TakesPositionsInAnyOrderAndNoneTooMany) {
  EXPECT_EQ(is_right(asked(TextPositions{1, 2, 3}), "3, 1 2"), std::optional<bool>(true));
  EXPECT_EQ(is_right(asked(TextPositions{1, 2, 3}), "1 2"), std::optional<bool>(false));
  EXPECT_EQ(is_right(asked(TextPositions{1, 2, 3}), "1 2 3 4"), std::optional<bool>(false));
  EXPECT_EQ(is_right(asked(TextPositions{1, 2, 3}), "1 2 2.5"), std::optional<bool>(false));
}

TEST(IsRight, TakesLettersOfEitherCase) {
  EXPECT_EQ(is_right(asked('b'), "b"), std::optional<bool>(true));
  EXPECT_EQ(is_right(asked('b'), " B) "), std::optional<bool>(true));
  EXPECT_EQ(is_right(asked('b'), "a"), std::optional<bool>(false));
}

TEST(IsRight, SaysNothingAboutAnAnswerOfAnotherKind) {
  EXPECT_EQ(is_right(asked(0.5), "half"), std::nullopt);
  EXPECT_EQ(is_right(asked(0.5), "0.5 0.5"), std::nullopt);
  EXPECT_EQ(is_right(asked(TextPositions{1}), "first"), std::nullopt);
  EXPECT_EQ(is_right(asked('b'), "d"), std::nullopt);
  EXPECT_EQ(is_right(asked('b'), "ab"), std::nullopt);
}

}  // namespace
}  // namespace tinylm
