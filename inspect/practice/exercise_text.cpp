#include "inspect/practice/exercise_text.h"

#include <spdlog/fmt/fmt.h>

#include "inspect/practice/typed_numbers.h"

namespace tinylm {
namespace {

std::string number_at(const torch::Tensor& values, std::int64_t i) {
  return short_number(values[i].item<double>());
}

/// A number between operators: "3", "(-2)".
std::string operand(const torch::Tensor& values, std::int64_t i) {
  const std::string text = number_at(values, i);
  return text.front() == '-' ? "(" + text + ")" : text;
}

/// "0*1 + 1*3" for two tensors [n].
std::string sum_of_products(const torch::Tensor& a, const torch::Tensor& b) {
  std::string text;
  for (std::int64_t i = 0; i < a.size(0); ++i) {
    text += fmt::format("{}{}*{}", i == 0 ? "" : " + ", operand(a, i), operand(b, i));
  }
  return text;
}

/// "(0.243 + 1)": the allowed exponentials.
std::string sum_of_exponentials(const Exercise& exercise) {
  const torch::Tensor exponentials = exercise.worked.steps.exponentials[exercise.query];  // [Tk]
  const torch::Tensor allowed = allowed_keys(exercise);
  std::string text;
  for (std::int64_t j = 0; j < exponentials.size(0); ++j) {
    if (!allowed[j].item<bool>()) continue;
    text += (text.empty() ? "" : " + ") + number_at(exponentials, j);
  }
  return "(" + text + ")";
}

std::string largest_score(const Exercise& exercise) {
  return number_at(exercise.worked.steps.largest[exercise.query], 0);
}

std::string score_formula(const Exercise& exercise, std::int64_t key) {
  const AttentionInputs& inputs = exercise.worked.inputs;
  return fmt::format("({}) / sqrt({})", sum_of_products(inputs.q[exercise.query], inputs.k[key]), inputs.k.size(1));
}

std::string weight_formula(const Exercise& exercise, std::int64_t key) {
  const std::string largest = operand(exercise.worked.steps.largest[exercise.query], 0);
  return fmt::format("exp({} - {}) / {}", number_at(right_answer(exercise, Step::kScores), key), largest,
                     sum_of_exponentials(exercise));
}

std::string output_formula(const Exercise& exercise, std::int64_t number) {
  return sum_of_products(right_answer(exercise, Step::kWeights), exercise.worked.inputs.v.select(1, number));
}

/// Position, counted from 1, of query `row` in the text: the queries are the last of the tokens.
std::int64_t position_of_query(const Exercise& exercise, std::int64_t row) {
  const AttentionInputs& inputs = exercise.worked.inputs;
  return inputs.k.size(0) - inputs.q.size(0) + row + 1;
}

/// "q", or "q2" where there are several.
std::string query_name(const Exercise& exercise, std::int64_t row) {
  const bool single = exercise.worked.inputs.q.size(0) == 1;
  return single ? "q" : "q" + std::to_string(position_of_query(exercise, row));
}

}  // namespace

std::string given_text(const Exercise& exercise) {
  const AttentionInputs& inputs = exercise.worked.inputs;
  std::string text;
  for (std::int64_t i = 0; i < inputs.q.size(0); ++i) {
    const std::string note = inputs.q.size(0) > 1 && i == exercise.query ? "   <- asked for" : "";
    text += fmt::format("  {:<2} = [{}]{}\n", query_name(exercise, i), short_numbers(inputs.q[i]), note);
  }
  for (std::int64_t j = 0; j < inputs.k.size(0); ++j) {
    text += fmt::format("  k{0} = {1:<16} v{0} = [{2}]\n", j + 1, "[" + short_numbers(inputs.k[j]) + "]",
                        short_numbers(inputs.v[j]));
  }
  if (!inputs.causal) return text + "  No mask: the query may look at every key.";
  return text + fmt::format("  Causal mask: {0} tokens, key j belongs to token j; asked for is token {1}.",
                            inputs.k.size(0), position_of_query(exercise, exercise.query));
}

std::string question_text(const Exercise& exercise, Step step) {
  const AttentionInputs& inputs = exercise.worked.inputs;
  switch (step) {
    case Step::kScores:
      return fmt::format(
          "Scaled scores{}, {} . k_j / sqrt({}), one for each key:", inputs.causal ? " before the mask" : "",
          query_name(exercise, exercise.query), inputs.k.size(1));
    case Step::kWeights:
      return fmt::format("Weights, the softmax of the {}scores, one for each key:", inputs.causal ? "masked " : "");
    case Step::kOutput:
      break;
  }
  return fmt::format("Output, the values mixed with the weights, {}:",
                     inputs.v.size(1) == 1 ? "one number" : fmt::format("{} numbers", inputs.v.size(1)));
}

std::string number_name(Step step, std::int64_t number) {
  const char* name = step == Step::kScores ? "score" : step == Step::kWeights ? "weight" : "output";
  return fmt::format("{} {}", name, number + 1);
}

std::string formula_text(const Exercise& exercise, Step step, std::int64_t number) {
  const std::string result = number_at(right_answer(exercise, step), number);
  switch (step) {
    case Step::kScores:
      return score_formula(exercise, number) + " = " + result;
    case Step::kWeights:
      if (!allowed_keys(exercise)[number].item<bool>()) return "0, because the mask hides this key";
      return weight_formula(exercise, number) + " = " + result;
    case Step::kOutput:
      break;
  }
  return output_formula(exercise, number) + " = " + result;
}

std::string solution_text(const Exercise& exercise, Step step) {
  std::string text;
  for (std::int64_t i = 0; i < right_answer(exercise, step).size(0); ++i) {
    text += fmt::format("{}  {}: {}", i == 0 ? "" : "\n", number_name(step, i), formula_text(exercise, step, i));
  }
  if (step != Step::kWeights) return text;
  return text + fmt::format("\n  (Subtracting the largest score, {}, changes no weight and keeps exp small.)",
                            largest_score(exercise));
}

std::string summary_text(const Exercise& exercise) {
  const ops::AttentionSteps& steps = exercise.worked.steps;
  const std::int64_t query = exercise.query, d_k = exercise.worked.inputs.k.size(1);
  std::string text = fmt::format("  dot products  {}\n  scores        {} (divided by sqrt({}))\n",
                                 short_numbers(steps.dot_products[query]), short_numbers(steps.scores[query]), d_k);
  if (exercise.worked.inputs.causal) text += fmt::format("  masked        {}\n", short_numbers(steps.masked[query]));
  return text + fmt::format("  exponentials  {} (of score - largest), sum {}\n  weights       {}\n  output        {}",
                            short_numbers(steps.exponentials[query]), number_at(steps.sums[query], 0),
                            short_numbers(steps.weights[query]), short_numbers(steps.output[query]));
}

}  // namespace tinylm
