#include "inspect/practice/exercise.h"

#include <utility>
#include <vector>

#include "inspect/practice/draws.h"
#include "inspect/practice/mistakes.h"
#include "inspect/practice/typed_numbers.h"

namespace tinylm {
namespace {

torch::Tensor draw_rows(PracticeDraws& draws, std::int64_t rows, std::int64_t columns, std::int64_t smallest,
                        std::int64_t largest) {
  std::vector<double> numbers(static_cast<std::size_t>(rows * columns));
  for (double& number : numbers) number = static_cast<double>(draws.between(smallest, largest));
  return torch::tensor(numbers, torch::kFloat64).view({rows, columns});
}

struct Sizes {
  bool causal;
  std::int64_t Tq, Tk, d_k, d_v;
};

Sizes draw_sizes(PracticeDraws& draws) {
  constexpr std::int64_t kKeySizes[] = {1, 2, 2, 2, 4};  // 2 most often: a root to divide by, and little work
  Sizes sizes{};
  sizes.causal = draws.between(1, 3) == 1;
  sizes.Tq = sizes.causal ? 2 : 1;
  sizes.Tk = sizes.causal ? 3 : draws.between(2, 3);
  sizes.d_k = kKeySizes[draws.between(0, 4)];
  sizes.d_v = draws.between(1, 2);
  return sizes;
}

AttentionInputs draw_inputs(PracticeDraws& draws, const Sizes& sizes) {
  AttentionInputs inputs;
  inputs.q = draw_rows(draws, sizes.Tq, sizes.d_k, 1, 3);
  inputs.k = draw_rows(draws, sizes.Tk, sizes.d_k, -2, 3);
  inputs.v = draw_rows(draws, sizes.Tk, sizes.d_v, -1, 6);
  inputs.causal = sizes.causal;
  return inputs;
}

bool has_small_scores(const Exercise& exercise) {
  return exercise.worked.steps.scores.abs().max().item<double>() <= 3.0;
}

/// Whether an answer with two decimals tells the right numbers and all mistakes of a step apart.
bool tells_mistakes_apart(const Exercise& exercise, Step step) {
  constexpr double kFromRight = 4.0, kFromEachOther = 2.0;  // in tolerances
  const torch::Tensor right = right_answer(exercise, step);
  const std::vector<Mistake> mistakes = usual_mistakes(exercise, step);
  for (std::size_t i = 0; i < mistakes.size(); ++i) {
    if (distance_in_tolerances(mistakes[i].answer, right) < kFromRight) return false;
    for (std::size_t j = 0; j < i; ++j) {
      const bool same_mistake = mistakes[i].why == mistakes[j].why;
      if (!same_mistake && distance_in_tolerances(mistakes[i].answer, mistakes[j].answer) < kFromEachOther)
        return false;
    }
  }
  return true;
}

}  // namespace

Exercise make_exercise(std::uint64_t seed, std::uint64_t number) {
  PracticeDraws draws(seed, number + 1);
  const Sizes sizes = draw_sizes(draws);  // once, or those with fewer usual mistakes would win
  for (;;) {                              // about one draw in twenty will do, so this ends
    Exercise exercise{.worked = work_attention(draw_inputs(draws, sizes))};
    if (has_small_scores(exercise) && tells_mistakes_apart(exercise, Step::kScores) &&
        tells_mistakes_apart(exercise, Step::kWeights) && tells_mistakes_apart(exercise, Step::kOutput)) {
      return exercise;
    }
  }
}

torch::Tensor right_answer(const Exercise& exercise, Step step) {
  const ops::AttentionSteps& steps = exercise.worked.steps;
  switch (step) {
    case Step::kScores:
      return steps.scores[exercise.query];  // [Tk]
    case Step::kWeights:
      return steps.weights[exercise.query];  // [Tk]
    case Step::kOutput:
      break;
  }
  return steps.output[exercise.query];  // [d_v]
}

torch::Tensor allowed_keys(const Exercise& exercise) {
  return exercise.worked.steps.allowed[exercise.query];
}

torch::Tensor weights_from(const torch::Tensor& scores, const torch::Tensor& allowed) {
  // With d_k = 1 and the query 1, keys are their own scaled scores.
  AttentionInputs inputs;
  inputs.q = torch::ones({1, 1}, torch::kFloat64);
  inputs.k = scores.unsqueeze(1);  // [Tk, 1]
  inputs.v = torch::zeros_like(inputs.k);
  inputs.mask = allowed.to(torch::kFloat64).unsqueeze(0);  // [1, Tk]
  return work_attention(std::move(inputs)).steps.weights[0];
}

torch::Tensor output_from(const Exercise& exercise, const torch::Tensor& weights) {
  return torch::matmul(weights, exercise.worked.inputs.v);
}

}  // namespace tinylm
