#include "inspect/practice/judgement.h"

#include <limits>

#include <spdlog/fmt/fmt.h>

#include "inspect/practice/exercise_text.h"
#include "inspect/practice/mistakes.h"
#include "inspect/practice/typed_numbers.h"

namespace tinylm {
namespace {

bool is_near(const torch::Tensor& answer, const torch::Tensor& value) {
  return distance_in_tolerances(answer, value) <= 1.0;
}

/// Scores in which a hidden key's minus infinity, which is right after the mask, is the score before it.
torch::Tensor before_the_mask(const Exercise& exercise, const torch::Tensor& scores) {
  const torch::Tensor right = right_answer(exercise, Step::kScores);
  if (scores.size(0) != right.size(0)) return scores;
  return torch::where(torch::isinf(scores) & ~allowed_keys(exercise), right, scores);
}

/// The step before, with what the person gave for it and what follows from that.
struct Before {
  Step step = Step::kScores;
  torch::Tensor given = {};
  torch::Tensor consequence = {};  // undefined where nothing follows
};

Before step_before(const Exercise& exercise, Step step, const EarlierAnswers& earlier) {
  if (step == Step::kScores) return {};
  Before before;
  before.step = step == Step::kWeights ? Step::kScores : Step::kWeights;
  before.given = step == Step::kWeights ? earlier.scores : earlier.weights;
  if (!before.given.defined()) return before;
  if (before.step == Step::kScores) before.given = before_the_mask(exercise, before.given);
  const bool usable = before.given.size(0) == right_answer(exercise, before.step).size(0) &&
                      torch::isfinite(before.given).all().item<bool>();
  if (!usable) return before;
  before.consequence =
      step == Step::kWeights ? weights_from(before.given, allowed_keys(exercise)) : output_from(exercise, before.given);
  return before;
}

std::string first_difference(const Exercise& exercise, Step step, const torch::Tensor& answer) {
  const torch::Tensor right = right_answer(exercise, step);
  std::int64_t i = 0;
  while (is_near(answer.slice(0, i, i + 1), right.slice(0, i, i + 1))) ++i;
  const std::string formula = formula_text(exercise, step, i);
  const std::size_t result = formula.rfind(" = ");  // stays for the solution
  return fmt::format("The first number that is off is {}: {}. You gave {}.", number_name(step, i),
                     formula.substr(0, result), short_number(answer[i].item<double>()));
}

std::string wrong_count(Step step, std::int64_t expected, std::int64_t found) {
  return fmt::format("Expected {} number{}{}, found {}. Write decimals with a point, as in 0.71.", expected,
                     expected == 1 ? "" : "s", step == Step::kOutput ? "" : ", one for each key", found);
}

/// Of everything that `answer` may come from, the nearest within a tolerance; no sentence when there is none.
Verdict nearest_explanation(const Exercise& exercise, Step step, const torch::Tensor& answer, const Before& before) {
  double nearest = std::numeric_limits<double>::infinity();
  Verdict verdict;
  if (before.consequence.defined() && is_near(answer, before.consequence)) {
    nearest = distance_in_tolerances(answer, before.consequence);
    verdict.right = is_near(before.given, right_answer(exercise, before.step));
    if (verdict.right) return verdict;
    verdict.why = fmt::format("This follows correctly from the {0} you gave; it is the {0} that are off.",
                              before.step == Step::kScores ? "scores" : "weights");
  }
  for (const Mistake& mistake : usual_mistakes(exercise, step)) {
    const double distance = distance_in_tolerances(answer, mistake.answer);
    if (distance > 1.0 || distance >= nearest) continue;
    nearest = distance;
    verdict = {.right = false, .why = std::string(mistake.why)};
  }
  return verdict;
}

}  // namespace

Verdict judge(const Exercise& exercise, Step step, const torch::Tensor& answer, const EarlierAnswers& earlier) {
  const torch::Tensor right = right_answer(exercise, step);
  const torch::Tensor given = step == Step::kScores ? before_the_mask(exercise, answer) : answer;
  if (is_near(given, right)) return {.right = true};
  const Verdict verdict = nearest_explanation(exercise, step, given, step_before(exercise, step, earlier));
  if (verdict.right) return {.right = true};
  if (!verdict.why.empty()) return verdict;
  if (given.size(0) != right.size(0)) return {.why = wrong_count(step, right.size(0), given.size(0))};
  return {.why = first_difference(exercise, step, given)};
}

}  // namespace tinylm
