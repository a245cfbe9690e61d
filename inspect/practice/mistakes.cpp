#include "inspect/practice/mistakes.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "inspect/practice/typed_numbers.h"

namespace tinylm {
namespace {

// Occasions.

bool always(const Exercise&) {
  return true;
}

bool has_long_keys(const Exercise& exercise) {
  return exercise.worked.inputs.k.size(1) > 1;
}

bool hides_a_key(const Exercise& exercise) {
  return !allowed_keys(exercise).all().item<bool>();
}

bool has_another_query(const Exercise& exercise) {
  return exercise.worked.inputs.q.size(0) > 1;
}

// Mistaken answers.

double root_of_key_size(const Exercise& exercise) {
  return std::sqrt(static_cast<double>(exercise.worked.inputs.k.size(1)));
}

torch::Tensor dot_products(const Exercise& exercise) {
  return exercise.worked.steps.dot_products[exercise.query];  // [Tk]
}

torch::Tensor dot_products_over_key_size(const Exercise& exercise) {
  return right_answer(exercise, Step::kScores) / root_of_key_size(exercise);
}

torch::Tensor dot_products_times_root(const Exercise& exercise) {
  return dot_products(exercise) * root_of_key_size(exercise);
}

torch::Tensor products_of_pairs(const Exercise& exercise) {
  const AttentionInputs& inputs = exercise.worked.inputs;
  return (inputs.q[exercise.query] * inputs.k).flatten();  // [Tk * d_k]
}

torch::Tensor products_of_first_pairs(const Exercise& exercise) {
  const AttentionInputs& inputs = exercise.worked.inputs;
  return inputs.q[exercise.query][0] * inputs.k.select(1, 0);  // [Tk]
}

torch::Tensor scaled_products_of_first_pairs(const Exercise& exercise) {
  return products_of_first_pairs(exercise) / root_of_key_size(exercise);
}

template <Step step>
torch::Tensor answer_for_another_query(const Exercise& exercise) {
  const std::int64_t other = (exercise.query + 1) % exercise.worked.inputs.q.size(0);
  return right_answer({.worked = exercise.worked, .query = other}, step);
}

torch::Tensor softmax_of_dot_products(const Exercise& exercise) {
  return weights_from(dot_products(exercise), allowed_keys(exercise));
}

torch::Tensor softmax_without_mask(const Exercise& exercise) {
  return weights_from(right_answer(exercise, Step::kScores), torch::ones_like(allowed_keys(exercise)));
}

torch::Tensor softmax_masked_afterwards(const Exercise& exercise) {
  return softmax_without_mask(exercise) * allowed_keys(exercise);
}

torch::Tensor powers_of_two_over_their_sum(const Exercise& exercise) {
  return weights_from(right_answer(exercise, Step::kScores) * std::log(2.0), allowed_keys(exercise));
}

torch::Tensor exponentials(const Exercise& exercise) {
  return right_answer(exercise, Step::kScores).exp() * allowed_keys(exercise);
}

torch::Tensor exponentials_without_largest(const Exercise& exercise) {
  return exercise.worked.steps.exponentials[exercise.query];  // [Tk]
}

torch::Tensor allowed_scores(const Exercise& exercise) {
  return right_answer(exercise, Step::kScores) * allowed_keys(exercise);
}

torch::Tensor scores_over_their_sum(const Exercise& exercise) {
  const torch::Tensor scores = allowed_scores(exercise);
  return scores / scores.sum();
}

torch::Tensor reversed_weights(const Exercise& exercise) {
  return right_answer(exercise, Step::kWeights).flip(0);
}

torch::Tensor mixed_keys(const Exercise& exercise) {
  return torch::matmul(right_answer(exercise, Step::kWeights), exercise.worked.inputs.k);  // [d_k]
}

torch::Tensor mean_of_values(const Exercise& exercise) {
  const torch::Tensor allowed = allowed_keys(exercise).to(torch::kFloat64);
  return output_from(exercise, allowed / allowed.sum());
}

template <torch::Tensor (*weights)(const Exercise&)>
torch::Tensor values_mixed(const Exercise& exercise) {
  return output_from(exercise, weights(exercise));
}

struct KnownMistake {
  Step step;
  bool (*has_occasion)(const Exercise&);
  torch::Tensor (*answer)(const Exercise&);
  std::string_view why;
};

constexpr std::string_view kFirstPairOnly =
    "Only the first numbers of q and k_j were multiplied: a dot product adds up the products of all d_k pairs.";
constexpr std::string_view kNotNormalised =
    "These are the exponentials: divide each by their sum, so that the weights add up to 1.";
constexpr std::string_view kMixedWithExponentials =
    "The values were multiplied by the exponentials: divide these by their sum first, which makes them weights.";

constexpr std::array kKnownMistakes = {
    KnownMistake{Step::kScores, has_long_keys, dot_products,
                 "These are the plain dot products q . k_j: each still has to be divided by sqrt(d_k)."},
    KnownMistake{Step::kScores, has_long_keys, dot_products_over_key_size,
                 "The dot products were divided by d_k: the scale is its square root, sqrt(d_k)."},
    KnownMistake{Step::kScores, has_long_keys, dot_products_times_root,
                 "The dot products were multiplied by sqrt(d_k): they have to be divided by it."},
    KnownMistake{Step::kScores, has_long_keys, products_of_pairs,
                 "These are the products of the single pairs: a dot product adds up the d_k products of a key, which "
                 "leaves one number for each key, and that is divided by sqrt(d_k)."},
    KnownMistake{Step::kScores, has_long_keys, products_of_first_pairs, kFirstPairOnly},
    KnownMistake{Step::kScores, has_long_keys, scaled_products_of_first_pairs, kFirstPairOnly},
    KnownMistake{Step::kScores, has_another_query, answer_for_another_query<Step::kScores>,
                 "These are the scores of the other query: take the one that is asked for."},
    KnownMistake{Step::kWeights, has_long_keys, softmax_of_dot_products,
                 "This is the softmax of the plain dot products: take the softmax of the scaled scores."},
    KnownMistake{Step::kWeights, always, exponentials, kNotNormalised},
    KnownMistake{Step::kWeights, always, exponentials_without_largest, kNotNormalised},
    KnownMistake{Step::kWeights, always, scores_over_their_sum,
                 "The scores themselves were divided by their sum: take exp of each score first."},
    KnownMistake{Step::kWeights, always, powers_of_two_over_their_sum,
                 "These weights come from powers of 2: the softmax takes powers of e = 2.718, exp on a calculator."},
    KnownMistake{Step::kWeights, always, reversed_weights,
                 "These are the right weights in reversed order: the first weight belongs to the first key."},
    KnownMistake{Step::kWeights, hides_a_key, softmax_without_mask,
                 "A hidden key got a weight: the mask makes it 0, and the keys before it share the 1."},
    KnownMistake{Step::kWeights, hides_a_key, softmax_masked_afterwards,
                 "The hidden key has weight 0, but the others no longer add up to 1: hide it before the softmax."},
    KnownMistake{Step::kWeights, has_another_query, answer_for_another_query<Step::kWeights>,
                 "These are the weights of the other query: take the row that is asked for."},
    KnownMistake{Step::kOutput, always, mixed_keys, "The keys were mixed: the weights mix the values v_j."},
    KnownMistake{Step::kOutput, always, mean_of_values,
                 "This is the plain mean of the values: multiply each value by its own weight instead."},
    KnownMistake{Step::kOutput, always, values_mixed<allowed_scores>,
                 "The values were multiplied by the scores: use the weights, which the softmax makes of the scores."},
    KnownMistake{Step::kOutput, always, values_mixed<exponentials>, kMixedWithExponentials},
    KnownMistake{Step::kOutput, always, values_mixed<exponentials_without_largest>, kMixedWithExponentials},
    KnownMistake{Step::kOutput, always, values_mixed<reversed_weights>,
                 "The weights were used in reversed order: the first weight belongs to the first value."},
    KnownMistake{Step::kOutput, hides_a_key, values_mixed<softmax_without_mask>,
                 "A hidden key's value is in the mix: under the mask its weight is 0."},
    KnownMistake{Step::kOutput, hides_a_key, values_mixed<softmax_masked_afterwards>,
                 "The values were mixed with weights that do not add up to 1: hide the key before the softmax."},
    KnownMistake{Step::kOutput, has_another_query, answer_for_another_query<Step::kOutput>,
                 "The values were mixed with the weights of the other query: take the row that is asked for."},
};

}  // namespace

std::vector<Mistake> usual_mistakes(const Exercise& exercise, Step step) {
  std::vector<Mistake> mistakes;
  for (const KnownMistake& known : kKnownMistakes) {
    if (known.step != step || !known.has_occasion(exercise)) continue;
    torch::Tensor answer = known.answer(exercise);
    // Scores that add up to zero have no shares.
    if (torch::isfinite(answer).all().item<bool>()) mistakes.push_back({answer, known.why});
  }
  return mistakes;
}

bool is_usual_mistake(const Exercise& exercise, Step step, const torch::Tensor& answer) {
  const std::vector<Mistake> mistakes = usual_mistakes(exercise, step);
  return std::any_of(mistakes.begin(), mistakes.end(),
                     [&](const Mistake& mistake) { return distance_in_tolerances(answer, mistake.answer) <= 1.0; });
}

}  // namespace tinylm
