#include "inspect/explanation.h"

#include <array>
#include <charconv>
#include <cmath>

#include <spdlog/fmt/fmt.h>

#include "core/errors.h"
#include "core/text_table.h"
#include "inspect/attention_text.h"
#include "inspect/padding.h"

namespace tinylm {
namespace {

void require_in_range(Problems& problems, const char* what, std::int64_t value, std::int64_t count) {
  problems.require(value < count, fmt::format("--explain names {} {}, expected 0 to {}", what, value, count - 1));
}

/// What the positions add to the scores of `row`, hidden keys at minus infinity: [1, T], or undefined.
torch::Tensor bias_of(const ops::AttentionMask& mask, const HeadRow& row) {
  if (!mask.bias.defined()) return {};
  const torch::Tensor of_head = mask.bias.dim() > 2 ? mask.bias.select(-3, row.head) : mask.bias;  // [T, T]
  return of_head.reshape({-1, of_head.size(-1)}).slice(0, row.query, row.query + 1).to(torch::kCPU, torch::kFloat64);
}

/// The first three numbers and the last, or all where there are no more than five.
std::string shortened(const torch::Tensor& vector, int digits) {
  if (vector.numel() <= 5) return vector_with_digits(vector, digits);
  std::string text = vector_with_digits(vector.slice(0, 0, 3), digits);
  text.pop_back();
  return text + ", ..., " + with_digits(vector[-1].item<double>(), digits) + "]";
}

/// All numbers of a vector in brackets, some to a line, further lines after `margin`.
std::string whole_vector(const torch::Tensor& vector, int digits, const std::string& margin) {
  constexpr std::int64_t kNumbersALine = 8;
  std::string text;
  for (std::int64_t first = 0; first < vector.numel(); first += kNumbersALine) {
    const std::string part = vector_with_digits(vector.slice(0, first, first + kNumbersALine), digits);
    text += (first == 0 ? "" : ",\n" + margin) + part.substr(1, part.size() - 2);
  }
  return "[" + text + "]";
}

/// A number as it stands in a product: (-0.31).
std::string factor(double value, int digits) {
  const std::string text = with_digits(value, digits);
  return text.front() == '-' ? "(" + text + ")" : text;
}

/// "0.12 * 0.40 + (-0.31) * 0.25 + ...", further lines after `margin`.
std::string spelled_product(const torch::Tensor& a, const torch::Tensor& b, int digits, const std::string& margin) {
  constexpr std::int64_t kTermsALine = 5;
  std::string text;
  for (std::int64_t i = 0; i < a.numel(); ++i) {
    if (i > 0) text += i % kTermsALine == 0 ? " +\n" + margin : " + ";
    text += factor(a[i].item<double>(), digits) + " * " + factor(b[i].item<double>(), digits);
  }
  return text;
}

/// Whether positions add anything to the scores of this row.
bool added_by_positions(const Explanation& explanation) {
  return explanation.bias.defined() &&
         explanation.bias.masked_select(explanation.steps.allowed).abs().max().item<double>() > 0.0;
}

std::string keys_table(const Explanation& explanation, int digits) {
  const ops::AttentionSteps& steps = explanation.steps;
  const torch::Tensor shifted = steps.masked - steps.largest;
  const bool biased = added_by_positions(explanation);
  std::vector<TableRow> rows{{"key j", "token", "k_j", "q . k_j", "s_j"}};
  TableRow& head = rows.front();
  const std::string scores = biased ? "a_j" : "s_j";
  if (biased) head.insert(head.end(), {"b_j", "a_j = s_j + b_j"});
  if (!biased) head.back() = "s_j = scale * (q . k_j)";
  head.insert(head.end(), {scores + " - c", "e_j = exp(" + scores + " - c)", "w_j = e_j / z", "v_j"});
  for (std::int64_t j = 0; j < explanation.k.size(0); ++j) {
    if (!steps.allowed[0][j].item<bool>()) continue;
    const auto number = [&](const torch::Tensor& x) { return with_digits(x[0][j].item<double>(), digits); };
    TableRow row{std::to_string(j), with_width(explanation.labels[static_cast<std::size_t>(j)]),
                 shortened(explanation.k[j], digits), number(steps.dot_products), number(steps.scores)};
    if (biased) row.insert(row.end(), {number(explanation.bias), number(steps.masked)});
    row.insert(row.end(), {number(shifted), number(steps.exponentials), number(steps.weights),
                           shortened(explanation.v[j], digits)});
    rows.push_back(std::move(row));
  }
  std::vector<Side> sides(rows.front().size(), Side::kRight);
  sides[1] = sides.back() = Side::kLeft;  // tokens and values
  return text_table(rows, sides, 2);
}

}  // namespace

HeadRow parse_head_row(const std::string& text) {
  std::array<std::int64_t, 3> numbers{};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  bool right = true;
  for (std::size_t i = 0; i < numbers.size() && right; ++i) {
    if (i > 0) right = at != end && *at++ == '.';
    const auto [next, error] = std::from_chars(at, end, numbers[i]);
    right = right && error == std::errc() && numbers[i] >= 0;
    at = next;
  }
  if (right && at == end) return {numbers[0], numbers[1], numbers[2]};
  throw WrongUse("--explain takes layer.head.query, counted from 0, such as 0.2.5; found \"" + text + "\"");
}

Explanation explain(LoadedModel& loaded, const std::vector<TokenId>& ids, const HeadRow& row) {
  const ModelConfig& config = loaded.model->config();
  Problems problems;
  require_in_range(problems, "layer", row.layer, config.layers);
  require_in_range(problems, "head", row.head, config.heads);
  require_in_range(problems, "query", row.query, static_cast<std::int64_t>(ids.size()));
  problems.throw_if_any();

  Trace trace;
  trace.want_heads = true;
  Explanation explanation;
  explanation.row = row;
  explanation.labels = inspect(loaded, ids, trace).labels;
  explanation.causal = config.attention_mask == MaskKind::kCausal;
  const TracedHeads& traced = trace.heads[static_cast<std::size_t>(row.layer)];
  const std::int64_t kv_head = row.head / (config.heads / config.key_value_heads());
  const auto of = [](const torch::Tensor& x, std::int64_t head) { return x[0][head].to(torch::kCPU, torch::kFloat64); };
  explanation.q = of(traced.q, row.head).slice(0, row.query, row.query + 1);
  explanation.k = of(traced.k, kv_head);
  explanation.v = of(traced.v, kv_head);
  explanation.bias = bias_of(trace.mask, row);
  explanation.steps =
      ops::attention_steps(explanation.q, explanation.k, explanation.v, {.bias = explanation.bias, .empty_rows = {}});

  const torch::Tensor weights = of(trace.attention[static_cast<std::size_t>(row.layer)], row.head)[row.query];
  const torch::Tensor output = of(traced.output, row.head)[row.query];
  // By the steps that are shown, and relative to the output where that is large, as float32 is.
  const torch::Tensor worked = explanation.steps.exponentials[0] / explanation.steps.sums[0];  // [T]
  const torch::Tensor size = output.abs().max().clamp_min(1.0);
  const torch::Tensor of_output = (torch::matmul(worked, explanation.v) - output) / size;         // [D]
  explanation.difference = torch::cat({worked - weights, of_output}).abs().max().item<double>();  // NaN stays NaN
  return explanation;
}

std::string explanation_text(const Explanation& explanation, int digits) {
  const auto& [row, labels, q, k, v, bias, steps, causal, difference] = explanation;
  const std::int64_t T = k.size(0), top = steps.weights[0].argmax().item<std::int64_t>();
  const std::int64_t hidden = T - steps.allowed.sum().item<std::int64_t>();
  std::string text =
      fmt::format("{}, the query of position {} (of 0 to {}), the token {}\n", head_name(row.layer, row.head),
                  row.query, T - 1, labels[static_cast<std::size_t>(row.query)]);
  if (!causal) text += "attention_mask none: this model was trained to look at later tokens too\n";
  text += '\n';
  text += "q = " + whole_vector(q[0], digits, "     ") + "\n";
  text += fmt::format("scale = 1 / sqrt(d_k) = 1 / sqrt({}) = {}\n", k.size(1), with_digits(steps.scale, digits));
  text +=
      fmt::format("c = the largest score = {},  z = sum of e_j = {}\n\n",
                  with_digits(steps.largest.item<double>(), digits), with_digits(steps.sums.item<double>(), digits));
  if (added_by_positions(explanation)) text += "b_j is what the positional encoding adds to the score of key j\n\n";
  text += keys_table(explanation, digits);
  if (hidden > 0) text += fmt::format("  and {} later, hidden: weight exactly 0\n", hidden);
  text += fmt::format("\nThe dot product with the key it looks at most, {}:\nq . k_{} = {}\n    = {}\n", top, top,
                      spelled_product(q[0], k[top], digits, "    "),
                      with_digits(steps.dot_products[0][top].item<double>(), digits));
  text += fmt::format(
      "\nThe first number of the output, each weight times the first number of its value:\n    {}\n    = {}\n",
      spelled_product(steps.weights[0].masked_select(steps.allowed[0]), v.select(1, 0).masked_select(steps.allowed[0]),
                      digits, "    "),
      with_digits(steps.output[0][0].item<double>(), digits));
  text += "\noutput = sum of w_j v_j\n  = " + whole_vector(steps.output[0], digits, "     ") + "\n";
  text += fmt::format("\n{}: largest difference of weights and output {:.1e} (allowed {:.0e})\n",
                      explanation.agrees() ? "The model computed the same" : "The model computed something else",
                      difference, kExplanationTolerance);
  return text;
}

}  // namespace tinylm
