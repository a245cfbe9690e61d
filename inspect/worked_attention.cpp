#include "inspect/worked_attention.h"

#include <cmath>

#include <spdlog/fmt/fmt.h>

#include "core/errors.h"
#include "core/numbers.h"

namespace tinylm {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char character : text) {
    if (character == separator) {
      parts.emplace_back();
    } else {
      parts.back() += character;
    }
  }
  return parts;
}

std::string trimmed(const std::string& text) {
  constexpr const char* kSpaces = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

double parse_number(const std::string& text, const std::string& what, std::size_t row, std::size_t column) {
  const std::string number = trimmed(text);
  const std::optional<double> value = parse_decimal(number);
  if (value && std::isfinite(*value)) return *value;
  throw BadInput(
      fmt::format("{}: number {} of row {} is \"{}\"; expected a finite decimal number such as 0.5, with "
                  "commas between numbers and semicolons between rows (\"1,0;0,1\")",
                  what, column, row, number));
}

std::string shape(const torch::Tensor& rows, const std::string& name) {
  const std::string names = name == "query" ? "queries" : name + "s";
  return fmt::format("{} {} of {} {}", rows.size(0), rows.size(0) == 1 ? name : names, rows.size(1),
                     rows.size(1) == 1 ? "number" : "numbers");
}

void check_shapes(const AttentionInputs& inputs) {
  const torch::Tensor &q = inputs.q, &k = inputs.k, &v = inputs.v;
  if (q.size(1) != k.size(1)) {
    throw BadInput("the dot product needs queries and keys of one length d_k, found " + shape(q, "query") + " and " +
                   shape(k, "key") + "; give each query as many numbers as each key has");
  }
  if (k.size(0) != v.size(0)) {
    throw BadInput("each key needs one value, found " + shape(k, "key") + " and " + shape(v, "value") +
                   "; give as many values as keys, with semicolons between them");
  }
  if (inputs.causal && q.size(0) > k.size(0)) {
    throw BadInput("a causal query stands at the position of a key, found " + shape(q, "query") + " and " +
                   shape(k, "key") + "; give no more queries than keys");
  }
  const torch::Tensor& mask = inputs.mask;
  if (!mask.defined()) return;
  if (mask.size(1) != k.size(0) || (mask.size(0) != 1 && mask.size(0) != q.size(0))) {
    throw BadInput(fmt::format(
        "the mask needs one row for all queries or one for each, with a number for each key: expected {} of {}, "
        "found {} of {}",
        q.size(0) == 1 ? "1 row" : fmt::format("1 or {} rows", q.size(0)), k.size(0), mask.size(0), mask.size(1)));
  }
  if (((mask != 0) & (mask != 1)).any().item<bool>()) {
    throw BadInput("the mask says 1 where a query may look and 0 where it may not; found another number");
  }
}

/// Throws BadInput naming the first number of a matrix that is not finite: `what` of its row, `which` its column,
/// from 1.
void check_finite(const torch::Tensor& numbers, const std::string& what, const std::string& which) {
  for (std::int64_t i = 0; i < numbers.size(0); ++i) {
    for (std::int64_t j = 0; j < numbers.size(1); ++j) {
      if (std::isfinite(numbers[i][j].item<double>())) continue;
      throw BadInput(fmt::format("the {} of query {} {} {} is too large for a 64-bit number; give smaller vectors",
                                 what, i + 1, which, j + 1));
    }
  }
}

}  // namespace

torch::Tensor parse_rows(const std::string& text, const std::string& what) {
  if (trimmed(text).empty()) throw BadInput(what + ": nothing given; expected numbers such as \"1,0;0,1\"");
  std::vector<double> values;
  std::size_t columns = 0, row = 0;
  for (const std::string& line : split(text, ';')) {
    const std::vector<std::string> numbers = split(line, ',');
    ++row;
    for (std::size_t i = 0; i < numbers.size(); ++i) values.push_back(parse_number(numbers[i], what, row, i + 1));
    if (row == 1) columns = numbers.size();
    if (numbers.size() == columns) continue;
    throw BadInput(fmt::format("{}: row 1 has {} numbers and row {} has {}; all rows need the same number", what,
                               columns, row, numbers.size()));
  }
  return torch::tensor(values, torch::kFloat64).view({static_cast<std::int64_t>(row), -1});
}

WorkedAttention work_attention(AttentionInputs inputs) {
  check_shapes(inputs);
  const torch::Tensor allowed = inputs.mask.defined() ? inputs.mask == 1 : torch::Tensor();
  const ops::AttentionMask mask =
      ops::attention_mask(inputs.q.size(0), inputs.k.size(0), inputs.causal, allowed, torch::kFloat64);
  ops::AttentionSteps steps = ops::attention_steps(inputs.q, inputs.k, inputs.v, mask);
  check_finite(steps.dot_products, "dot product", "and key");
  check_finite(steps.output, "output", "in number");
  return {std::move(inputs), std::move(steps)};
}

AttentionInputs example_inputs() {
  return {.q = parse_rows("0,1", "query"), .k = parse_rows("1,0;0,1", "keys"), .v = parse_rows("6,0;0,3", "values")};
}

AttentionInputs causal_example_inputs() {
  const torch::Tensor x = parse_rows("1,0;0,1;1,1;0,2", "tokens");
  return {.q = x, .k = x, .v = x, .causal = true};
}

}  // namespace tinylm
