#include "inspect/attention_text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <spdlog/fmt/fmt.h>

#include "core/numbers.h"
#include "inspect/padding.h"

namespace tinylm {
namespace {

/// A step: what it is called, how it is worked out, what comes out for each key.
struct Line {
  std::string name;
  std::string formula;
  std::vector<std::string> cells;
};

std::vector<std::string> cells_of(const torch::Tensor& row, int digits) {
  std::vector<std::string> cells;
  for (std::int64_t j = 0; j < row.numel(); ++j) cells.push_back(with_digits(row[j].item<double>(), digits));
  return cells;
}

/// Names and formulas to the left, cells of one key below each other to the right; the last step as it is.
std::string aligned(std::vector<Line> steps, const Line& last) {
  std::size_t name_width = 0, formula_width = 0;
  std::vector<std::size_t> cell_widths;
  for (const Line& step : steps) {
    name_width = std::max(name_width, step.name.size());
    formula_width = std::max(formula_width, step.formula.size());
    cell_widths.resize(std::max(cell_widths.size(), step.cells.size()), 0);
    for (std::size_t j = 0; j < step.cells.size(); ++j) cell_widths[j] = std::max(cell_widths[j], step.cells[j].size());
  }
  formula_width = std::max(formula_width, last.formula.size());
  steps.push_back(last);
  std::string text;
  for (const Line& step : steps) {
    text += "  " + fit_left(step.name, name_width) + "  " + fit_left(step.formula, formula_width);
    for (std::size_t j = 0; j < step.cells.size(); ++j) text += "  " + fit_right(step.cells[j], cell_widths[j]);
    text += '\n';
  }
  return text;
}

std::vector<Line> steps_of(const WorkedAttention& worked, std::int64_t query, int digits) {
  const ops::AttentionSteps& steps = worked.steps;
  const std::int64_t Tk = worked.inputs.k.size(0);
  const auto number = [&](double value) { return std::vector<std::string>{with_digits(value, digits)}; };
  std::vector<std::string> names, keys, values;
  for (std::int64_t j = 0; j < Tk; ++j) {
    names.push_back(std::to_string(j + 1));
    keys.push_back(short_vector(worked.inputs.k[j]));
    values.push_back(short_vector(worked.inputs.v[j]));
  }
  std::vector<Line> lines{
      {"key", "j", names},
      {"keys", "k_j", keys},
      {"values", "v_j", values},
      {"dot products", "q . k_j", cells_of(steps.dot_products[query], digits)},
      {"scale", fmt::format("1 / sqrt(d_k) = 1 / sqrt({})", worked.inputs.k.size(1)), number(steps.scale)},
      {"scaled scores", "s_j = scale * (q . k_j)", cells_of(steps.scores[query], digits)}};
  const bool hides = !steps.allowed[query].all().item<bool>(), sees = steps.allowed[query].any().item<bool>();
  const std::string scores = hides ? "a_j" : "s_j";
  if (hides)
    lines.push_back({"after the mask", "a_j = s_j, or -inf where hidden", cells_of(steps.masked[query], digits)});
  if (sees) {
    lines.push_back({"largest score", "c = max " + scores, number(steps.largest[query].item<double>())});
    lines.push_back(
        {"less the largest", scores + " - c", cells_of(steps.masked[query] - steps.largest[query], digits)});
    lines.push_back({"exponentials", "e_j = exp(" + scores + " - c)", cells_of(steps.exponentials[query], digits)});
    lines.push_back({"their sum", "z = e_1 + ... + e_m", number(steps.sums[query].item<double>())});
  }
  lines.push_back({"weights", sees ? "w_j = e_j / z" : "w_j = 0, by rule", cells_of(steps.weights[query], digits)});
  return lines;
}

std::string shapes_lines(const AttentionInputs& inputs) {
  const std::int64_t n = inputs.q.size(0), m = inputs.k.size(0), d_k = inputs.k.size(1), d_v = inputs.v.size(1);
  std::string text = fmt::format("{} {} (n), {} {} (m), d_k = {}, d_v = {}\n", n, n == 1 ? "query" : "queries", m,
                                 m == 1 ? "key" : "keys", d_k, d_v);
  const auto line = [&](const char* what, const char* letters, std::int64_t rows, std::int64_t columns) {
    text += fmt::format("  {:<8}{:<9} = {} x {}\n", what, letters, rows, columns);
  };
  line("Q", "n x d_k", n, d_k);
  line("K", "m x d_k", m, d_k);
  line("V", "m x d_v", m, d_v);
  line("scores", "n x m", n, m);
  line("output", "n x d_v", n, d_v);
  return text;
}

std::string mask_sentence(const AttentionInputs& inputs) {
  if (inputs.causal && inputs.mask.defined())
    return "Causal mask and a mask by hand: a query may look at the keys that both allow.\n";
  if (inputs.causal && inputs.q.size(0) < inputs.k.size(0)) {
    return fmt::format(
        "Causal mask: the queries are the last {} of {} positions, and each may look at its own position and at "
        "earlier ones.\n",
        inputs.q.size(0), inputs.k.size(0));
  }
  if (inputs.causal)
    return "Causal mask: a query may look at its own position and at earlier ones, never at a later one.\n";
  if (inputs.mask.defined()) return "Mask by hand: a query may look at the keys marked 1.\n";
  return "No mask: attention is bidirectional, every query may look at every key (--causal hides later ones).\n";
}

}  // namespace

std::string with_digits(double value, int digits) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  constexpr double kMostFixed = 1e9;  // longer numbers are read by their power of ten
  if (std::abs(value) >= kMostFixed) return fmt::format("{:.{}e}", value, digits);
  const std::string text = fixed(value, digits);
  const bool zero = text.find_first_not_of("-0.") == std::string::npos;
  return zero && text.front() == '-' ? text.substr(1) : text;
}

std::string short_vector(const torch::Tensor& row) {
  std::string text;
  for (std::int64_t i = 0; i < row.numel(); ++i) {
    std::string number = shortest(row[i].item<double>());
    if (number.ends_with(".0")) number.resize(number.size() - 2);
    text += (i > 0 ? ", " : "") + number;
  }
  return "[" + text + "]";
}

std::string vector_with_digits(const torch::Tensor& row, int digits) {
  return fmt::format("[{}]", fmt::join(cells_of(row, digits), ", "));
}

std::string worked_text(const WorkedAttention& worked, int digits) {
  std::string text = shapes_lines(worked.inputs) + mask_sentence(worked.inputs);
  for (std::int64_t query = 0; query < worked.inputs.q.size(0); ++query) {
    text += fmt::format("\nquery {}: q = {}\n", query + 1, short_vector(worked.inputs.q[query]));
    const bool sees = worked.steps.allowed[query].any().item<bool>();
    const Line output{"output",
                      sees ? "o = w_1 v_1 + ... + w_m v_m" : "o = 0, by rule",
                      {vector_with_digits(worked.steps.output[query], digits)}};
    text += aligned(steps_of(worked, query, digits), output);
    if (!sees) {
      text +=
          "  No key is allowed, and a softmax over nothing has no value: by this program's rule the weights and the\n"
          "  output are zero.\n";
    }
  }
  return text;
}

std::string matrix_line(const WorkedAttention& worked, std::int64_t query, int digits) {
  const std::size_t width = static_cast<std::size_t>(digits) + 3;
  std::string line = query < 0 ? "         " : "query " + fit_right(std::to_string(query + 1), 3);
  for (std::int64_t j = 0; j < worked.inputs.k.size(0); ++j) {
    std::string cell = ".";
    if (query < 0) {
      cell = "k" + std::to_string(j + 1);
    } else if (worked.steps.allowed[query][j].item<bool>()) {
      cell = with_digits(worked.steps.weights[query][j].item<double>(), digits);
    }
    line += "  " + fit_right(cell, width);
  }
  if (query < 0) return line + '\n';
  if (!worked.steps.allowed[query].any().item<bool>()) return line + "   no key is allowed: all 0, by rule\n";
  const double sum = worked.steps.weights[query].sum().item<double>();
  return line + "   sum " + with_digits(sum, digits) + (row_sum_is_right(worked, query) ? "  ok\n" : "  WRONG\n");
}

bool row_sum_is_right(const WorkedAttention& worked, std::int64_t query) {
  const double expected = worked.steps.allowed[query].any().item<bool>() ? 1.0 : 0.0;
  return std::abs(worked.steps.weights[query].sum().item<double>() - expected) <= 1e-12;
}

}  // namespace tinylm
