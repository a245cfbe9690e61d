#include "sample/sampler_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/numbers.h"
#include "core/text_table.h"
#include "sample/token_text.h"

namespace tinylm {
namespace {

constexpr std::size_t kTokensShown = 10;

std::string steps_table(const std::vector<StepTaken>& steps) {
  std::vector<TableRow> rows = {{"step", "setting", "left", "what it does"}};
  for (const StepTaken& taken : steps) {
    const std::string source = taken.step->source;
    rows.push_back({taken.step->name, taken.setting.empty() ? "off" : taken.setting,
                    grouped(static_cast<std::int64_t>(taken.tokens_left)),
                    taken.step->meaning + (source.empty() ? "" : " [" + source + "]")});
  }
  return text_table(rows, {Side::kLeft, Side::kRight, Side::kRight, Side::kLeft});
}

/// The model's own probabilities.
std::vector<double> softmax(std::span<const float> logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  std::vector<double> values;
  for (const float logit : logits) values.push_back(std::exp(logit - largest));
  const double total = std::accumulate(values.begin(), values.end(), 0.0);
  for (double& value : values) value /= total;
  return values;
}

/// Of the tokens that are likeliest to the model and those likeliest to be drawn.
std::string chances_table(std::span<const float> logits, const std::vector<double>& chances,
                          const Tokenizer& tokenizer) {
  const std::vector<double> own = softmax(logits);
  std::vector<TokenId> ids(chances.size());
  std::iota(ids.begin(), ids.end(), 0);
  std::stable_sort(ids.begin(), ids.end(), [&](TokenId a, TokenId b) {
    return chances[a] != chances[b] ? chances[a] > chances[b] : own[a] > own[b];
  });
  ids.resize(std::min(ids.size(), kTokensShown));
  std::vector<TableRow> rows = {{"token", "id", "model", "drawn"}};
  for (const TokenId id : ids)
    rows.push_back({token_label(tokenizer, id), std::to_string(id), fixed(own[id], 4), fixed(chances[id], 4)});
  return text_table(rows, {Side::kLeft, Side::kRight, Side::kRight, Side::kRight});
}

}  // namespace

std::string steps_text(const Sampler& sampler, std::span<const float> logits, const History& history,
                       const Tokenizer& tokenizer) {
  const std::vector<double> chances = sampler.probabilities(logits, history);
  return "From " + grouped(static_cast<std::int64_t>(logits.size())) +
         " logits to the next token: these steps, in this order; left: how many tokens may still be chosen.\n\n" +
         steps_table(sampler.steps_taken(logits, history)) +
         "\nThen one of those left is drawn. The probability that the model gives it, and its chance to be drawn:\n\n" +
         chances_table(logits, chances, tokenizer);
}

}  // namespace tinylm
