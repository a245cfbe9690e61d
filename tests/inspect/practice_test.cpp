#include "inspect/practice/practice.h"

#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>

#include "inspect/practice/boundary_questions.h"
#include "inspect/practice/exercise_text.h"
#include "inspect/practice/mistakes.h"

namespace tinylm {
namespace {

constexpr std::uint64_t kSeed = 11;

std::string dialogue(const std::string& typed, std::int64_t exercises = 1, std::uint64_t seed = kSeed) {
  std::istringstream in(typed);
  std::ostringstream out;
  run_practice(in, out, seed, exercises);
  return out.str();
}

std::string to_line(const torch::Tensor& values) {
  std::string line;
  for (std::int64_t i = 0; i < values.size(0); ++i) line += fmt::format("{:.2f} ", values[i].item<double>());
  return line + "\n";
}

/// The right line for a step of the first exercise.
std::string right_line(Step step, std::uint64_t seed = kSeed) {
  return to_line(right_answer(make_exercise(seed, 0), step));
}

std::string right_steps(std::uint64_t seed = kSeed) {
  return right_line(Step::kScores, seed) + right_line(Step::kWeights, seed) + right_line(Step::kOutput, seed);
}

std::string right_questions(std::uint64_t seed = kSeed) {
  std::string lines;
  for (const BoundaryQuestion& question : boundary_questions(seed, 3)) lines += right_answer_text(question) + "\n";
  return lines;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Practice, CountsRightAnswers) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::string text = dialogue(right_steps(seed) + right_questions(seed), 1, seed);
    EXPECT_TRUE(text.ends_with(fmt::format(
        "\n6 of 6 right at the first try. The same again: tinylm attend --practice --seed {} --exercises 1\n", seed)))
        << text;
    EXPECT_FALSE(says(text, "Not yet")) << text;
  }
}

TEST(Practice, SaysTheSameForTheSameSeed) {
  EXPECT_EQ(dialogue("1 2\n?\n\n?\n", 2), dialogue("1 2\n?\n\n?\n", 2));
  EXPECT_NE(dialogue("", 1, 1), dialogue("", 1, 2));
}

TEST(Practice, NamesAMistakeAndLetsOneTryAgain) {
  const Mistake mistake = usual_mistakes(make_exercise(kSeed, 0), Step::kWeights).front();
  const std::string text =
      dialogue(right_line(Step::kScores) + to_line(mistake.answer) + right_line(Step::kWeights) + "q\n");
  EXPECT_TRUE(says(text, fmt::format("Not yet. {}\nOnce more:\nRight.\n", mistake.why))) << text;
  EXPECT_TRUE(says(text, "1 of 2 right at the first try")) << text;
}

/// `number` as often as scores are asked for.
std::string numbers_line(const std::string& number) {
  std::string line;
  for (std::int64_t i = 0; i < right_answer(make_exercise(kSeed, 0), Step::kScores).size(0); ++i) line += number + " ";
  return line + "\n";
}

TEST(Practice, AsksAgainForAnotherCountOfNumbers) {
  const std::string text = dialogue("1\n1 2 3 4 5 6 7\n0,5 0,7\n" + right_line(Step::kScores) + "q\n");
  EXPECT_TRUE(says(text, "1 of 1 right at the first try")) << text;
}

TEST(Practice, ShowsTheSolutionAfterTwoWrongAnswers) {
  const std::string text = dialogue(numbers_line("77") + numbers_line("78") + "q\n");
  EXPECT_TRUE(
      says(text, "The solution, rounded to three decimals:\n" + solution_text(make_exercise(kSeed, 0), Step::kScores)))
      << text;
  EXPECT_TRUE(says(text, "0 of 1 right at the first try")) << text;
}

TEST(Practice, ShowsTheSolutionForAnEmptyLineOrAQuestionMark) {
  const std::string text = dialogue("\n?\r\n" + right_line(Step::kOutput) + "q\n");
  const Exercise exercise = make_exercise(kSeed, 0);
  EXPECT_TRUE(says(text, solution_text(exercise, Step::kScores))) << text;
  EXPECT_TRUE(says(text, solution_text(exercise, Step::kWeights))) << text;
  EXPECT_FALSE(says(text, solution_text(exercise, Step::kOutput))) << text;
  EXPECT_TRUE(says(text, "1 of 3 right at the first try")) << text;
}

TEST(Practice, SumsUpEveryNumberAfterTheLastStep) {
  EXPECT_TRUE(says(dialogue(right_steps()), summary_text(make_exercise(kSeed, 0))));
}

TEST(Practice, AsksAgainForWhatIsNoNumber) {
  std::string typed;
  for (int i = 0; i < 20; ++i) typed += "what? \x1b[31m\xff\n";
  const std::string text = dialogue(typed + right_line(Step::kScores) + "q\n");
  EXPECT_TRUE(says(text, "numbers with spaces between them, such as 0.71 or -1; \"?\" shows the solution")) << text;
  EXPECT_FALSE(says(text, "\x1b")) << "echoes what may be control characters";
  EXPECT_TRUE(says(text, "1 of 1 right at the first try")) << text;
}

TEST(Practice, AsksAgainForAnAnswerOfAnotherKind) {
  const std::string text = dialogue(right_steps() + "what?\n" + right_questions());
  EXPECT_TRUE(says(text, "Expected " + expected_answer(boundary_questions(kSeed, 3).front()))) << text;
  EXPECT_TRUE(says(text, "6 of 6 right at the first try")) << text;
}

TEST(Practice, GivesTheReasonWhetherAnAnswerIsRightOrNot) {
  const std::string text = dialogue(right_steps() + "?\n" + "?\n" + "?\n");
  for (const BoundaryQuestion& question : boundary_questions(kSeed, 3)) {
    EXPECT_TRUE(says(text, "The answer is " + right_answer_text(question) + ".\n" + question.reason)) << text;
  }
  EXPECT_TRUE(says(text, "3 of 6 right at the first try")) << text;
  const std::string answered = dialogue(right_steps() + right_questions());
  EXPECT_TRUE(says(answered, "Right.\n" + boundary_questions(kSeed, 3).back().reason)) << answered;
}

TEST(Practice, EndsWithTheCountSoFarWhereverTheInputEnds) {
  std::istringstream lines(right_steps() + right_questions());
  std::string typed;
  for (int answered = 0; answered < 6; ++answered) {
    const std::string text = dialogue(typed);
    const std::string count =
        answered == 0 ? "Nothing was answered." : fmt::format("{0} of {0} right at the first try.", answered);
    EXPECT_TRUE(says(text, "Ended early.\n\n" + count)) << text;
    std::string line;
    std::getline(lines, line);
    typed += line + "\n";
  }
}

TEST(Practice, EndsForQAndQuit) {
  for (const char* typed : {"q\n", "quit\n", "q"}) {
    EXPECT_TRUE(says(dialogue(typed), "Ended early.\n\nNothing was answered.")) << typed;
  }
}

TEST(Practice, SaysThatAStepFollowsFromAWrongOne) {
  const Exercise exercise = make_exercise(kSeed, 0);
  const torch::Tensor scores = torch::arange(right_answer(exercise, Step::kScores).size(0), torch::kFloat64) - 1.0;
  const std::string text =
      dialogue(to_line(scores) + to_line(scores) + to_line(weights_from(scores, allowed_keys(exercise))) + "q\n");
  EXPECT_TRUE(says(text, "This follows correctly from the scores you gave; it is the scores that are off.")) << text;
}

TEST(Practice, KeepsEveryLineWithinAHundredAndTwentyColumns) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::string typed;
    for (int i = 0; i < 6; ++i) typed += "0.123\n\n";
    std::istringstream lines(dialogue(typed, 1, seed));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120u) << line;
  }
}

}  // namespace
}  // namespace tinylm
