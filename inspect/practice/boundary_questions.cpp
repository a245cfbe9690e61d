#include "inspect/practice/boundary_questions.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include <spdlog/fmt/fmt.h>

#include "inspect/practice/draws.h"
#include "inspect/practice/typed_numbers.h"

namespace tinylm {
namespace {

TextPositions range(std::int64_t first, std::int64_t last) {
  TextPositions positions(static_cast<std::size_t>(last - first + 1));
  std::iota(positions.begin(), positions.end(), first);
  return positions;
}

BoundaryQuestion visible_positions(PracticeDraws& draws) {
  const std::int64_t T = draws.between(4, 6), t = draws.between(2, T - 1);
  return {fmt::format("A text has {} tokens, and the mask is causal. Which positions may position {} look at?", T, t),
          range(1, t),
          fmt::format("Position {} sees itself and all before it. The later tokens are what the model learns to "
                      "predict.",
                      t)};
}

BoundaryQuestion changed_positions(PracticeDraws& draws) {
  const std::int64_t T = draws.between(4, 6), t = draws.between(2, T - 1);
  return {fmt::format("A text has {} tokens, and the mask is causal. Token {} is replaced by another.\n"
                      "At which positions can the output of attention change?",
                      T, t),
          range(t, T),
          "Only positions from the replaced token on may look at it; what came before stays, so that a text can be\n"
          "continued without working out its beginning again."};
}

BoundaryQuestion first_position(PracticeDraws&) {
  return {"The mask is causal. Which weight does position 1 give to itself?", 1.0,
          "It sees no other key, and the weights of a query add up to 1."};
}

BoundaryQuestion single_key(PracticeDraws& draws) {
  const std::int64_t score = draws.between(-3, 3);
  return {fmt::format("There is a single key, and its scaled score is {}. What is its weight?", score), 1.0,
          fmt::format("exp({0}) / exp({0}) = 1: with a single key the score does not matter, and the output is its "
                      "value.",
                      score)};
}

BoundaryQuestion zero_query(PracticeDraws& draws) {
  const std::int64_t Tk = draws.between(2, 5);
  return {fmt::format("A query is all zeros, and it may look at {} keys. What is the weight of each key?", Tk),
          1.0 / static_cast<double>(Tk),
          fmt::format("Every score is 0 and every exponential 1, so each weight is 1/{}: the output is the plain mean "
                      "of the values.",
                      Tk)};
}

BoundaryQuestion other_values(PracticeDraws&) {
  return {
      "Only the values change; queries and keys stay as they are. What can change?\n"
      "  a) scores, weights and output   b) weights and output   c) the output alone",
      'c', "Scores and weights come from queries and keys; the values come in at the last step only."};
}

BoundaryQuestion added_constant(PracticeDraws& draws) {
  return {fmt::format("{} is added to every score of one query. Its weights\n"
                      "  a) stay the same   b) move towards the largest score   c) become more even",
                      draws.between(2, 9)),
          'a',
          "Every exponential is multiplied by the same number, which cancels in the division by their sum. That is\n"
          "why the largest score may be subtracted first."};
}

BoundaryQuestion longer_query(PracticeDraws& draws) {
  return {fmt::format("A query, whose scores differ, is multiplied by {}. Its weights\n"
                      "  a) stay the same   b) move towards the largest score   c) become more even",
                      draws.between(3, 10)),
          'b', "The differences between the scores grow by that factor, and their exponentials move further apart."};
}

BoundaryQuestion spread_of_dot_products(PracticeDraws& draws) {
  const std::int64_t root = draws.between(3, 9);
  return {fmt::format("The {} numbers of each query and key are independent, with mean 0 and variance 1.\n"
                      "What is the standard deviation of a dot product, before it is divided by sqrt(d_k)?",
                      root * root),
          static_cast<double>(root),
          fmt::format("It is a sum of {0} products of variance 1, so its variance is {0} and its deviation sqrt({0}).\n"
                      "Divided by sqrt(d_k), the scores have deviation 1 for any d_k.",
                      root * root)};
}

BoundaryQuestion impossible_output(PracticeDraws& draws) {
  const std::int64_t smallest = draws.between(1, 4), largest = smallest + draws.between(3, 5);
  return {fmt::format("The values are single numbers, {}, {} and {}. Which output is impossible?\n"
                      "  a) {}.5   b) {}.5   c) {}.5",
                      smallest, smallest + 1, largest, smallest, largest - 1, largest),
          'c', "Weights are never negative and add up to 1, so an output lies between the smallest and largest value."};
}

BoundaryQuestion swapped_keys(PracticeDraws&) {
  return {
      "There is no mask. Keys 1 and 2 change places, and so do values 1 and 2. The output\n"
      "  a) stays the same   b) changes, unless the keys are equal   c) swaps its numbers",
      'a',
      "The same products are added in another order. Attention itself knows no order: positions have to be "
      "put in."};
}

BoundaryQuestion no_key_left(PracticeDraws&) {
  return {"A mask hides every key from a query. tinylm then gives an output in which every number is which?", 0.0,
          "There is nothing to share out, and 0/0 would be no number: weights and output are defined as 0."};
}

BoundaryQuestion weights_of_a_causal_table(PracticeDraws& draws) {
  const std::int64_t T = draws.between(3, 6);
  return {fmt::format("A text has {0} tokens, and the mask is causal. How many of the {0} x {0} weights are not 0?", T),
          static_cast<double>(T * (T + 1) / 2),
          fmt::format("Row t has t weights, 1 + 2 + ... + {}: the lower triangle with its diagonal.", T)};
}

constexpr std::array kQuestions = {
    visible_positions,        changed_positions, first_position,         single_key,        zero_query,   other_values,
    added_constant,           longer_query,      spread_of_dot_products, impossible_output, swapped_keys, no_key_left,
    weights_of_a_causal_table};

std::optional<bool> is_right_number(double right, std::string_view line) {
  const std::optional<torch::Tensor> numbers = parse_numbers(line);
  if (!numbers || numbers->size(0) != 1) return std::nullopt;
  return distance_in_tolerances(*numbers, torch::tensor({right}, torch::kFloat64)) <= 1.0;
}

std::optional<bool> are_right_positions(const TextPositions& right, std::string_view line) {
  const std::optional<torch::Tensor> numbers = parse_numbers(line);
  if (!numbers) return std::nullopt;
  std::vector<double> given(numbers->data_ptr<double>(), numbers->data_ptr<double>() + numbers->numel());
  std::sort(given.begin(), given.end());
  return std::equal(given.begin(), given.end(), right.begin(), right.end(),
                    [](double number, std::int64_t position) { return number == static_cast<double>(position); });
}

std::optional<bool> is_right_letter(char right, std::string_view line) {
  const std::vector<std::string> words = words_of(line);
  if (words.size() != 1 || words[0].size() != 1) return std::nullopt;
  const std::size_t choice = std::string_view("abcABC").find(words[0][0]);
  if (choice == std::string_view::npos) return std::nullopt;
  return "abc"[choice % 3] == right;
}

}  // namespace

std::vector<BoundaryQuestion> boundary_questions(std::uint64_t seed, std::size_t count) {
  PracticeDraws draws(seed, 0);
  auto questions = kQuestions;
  std::vector<BoundaryQuestion> chosen;
  for (std::size_t i = 0; i < std::min(count, questions.size()); ++i) {
    const auto last = static_cast<std::int64_t>(questions.size()) - 1;
    std::swap(questions[i], questions[static_cast<std::size_t>(draws.between(static_cast<std::int64_t>(i), last))]);
    chosen.push_back(questions[i](draws));
  }
  return chosen;
}

std::optional<bool> is_right(const BoundaryQuestion& question, std::string_view line) {
  if (const auto* positions = std::get_if<TextPositions>(&question.right)) return are_right_positions(*positions, line);
  if (const auto* letter = std::get_if<char>(&question.right)) return is_right_letter(*letter, line);
  return is_right_number(std::get<double>(question.right), line);
}

std::string expected_answer(const BoundaryQuestion& question) {
  if (std::holds_alternative<TextPositions>(question.right)) return "positions, counted from 1, such as 2 3";
  if (std::holds_alternative<char>(question.right)) return "a, b or c";
  return "one number, such as 2 or 0.25";
}

std::string right_answer_text(const BoundaryQuestion& question) {
  if (const auto* positions = std::get_if<TextPositions>(&question.right)) {
    return fmt::format("{}", fmt::join(*positions, ", "));
  }
  if (const auto* letter = std::get_if<char>(&question.right)) return {*letter};
  return short_number(std::get<double>(question.right));
}

}  // namespace tinylm
