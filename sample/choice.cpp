#include "sample/choice.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tinylm {
namespace {

std::vector<Alternative> likeliest_tokens(std::span<const float> logits, double log_total, std::size_t count) {
  std::vector<TokenId> ids(logits.size());
  std::iota(ids.begin(), ids.end(), 0);
  const auto end = ids.begin() + static_cast<std::ptrdiff_t>(std::min(count, ids.size()));
  std::partial_sort(ids.begin(), end, ids.end(),
                    [&](TokenId a, TokenId b) { return logits[a] != logits[b] ? logits[a] > logits[b] : a < b; });
  std::vector<Alternative> tokens;
  for (auto id = ids.begin(); id != end; ++id) tokens.push_back({*id, logits[*id] - log_total});
  return tokens;
}

}  // namespace

Choice choice_of(std::span<const float> logits, TokenId id, std::size_t alternatives) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double total = 0.0, weighed = 0.0;  // sums of e^x and of x e^x, x relative to the largest
  for (const float logit : logits) {
    const double x = logit - largest, weight = std::exp(x);
    total += weight;
    if (weight > 0.0) weighed += x * weight;
  }
  const double log_total = largest + std::log(total);
  Choice choice{id, logits[id] - log_total, std::max(0.0, std::log(total) - weighed / total), {}};
  if (alternatives > 0) choice.alternatives = likeliest_tokens(logits, log_total, alternatives);
  return choice;
}

}  // namespace tinylm
