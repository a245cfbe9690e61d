#include "serve/token_chances.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tinylm {

namespace {

/// [T, V] float32, or [1, V] of the last token alone.
torch::Tensor logits_of(LoadedModel& loaded, const std::vector<TokenId>& ids, bool last_only) {
  const torch::NoGradGuard no_grad;
  loaded.model->eval();
  const torch::Tensor inputs = torch::tensor(std::vector<std::int64_t>(ids.begin(), ids.end())).unsqueeze(0);  // [1, T]
  return loaded.model->forward(inputs, {.last_only = last_only})
      .squeeze(0)
      .to(torch::kCPU, torch::kFloat32)
      .contiguous();
}

}  // namespace

TokenChances chances_of(TokenId id, std::span<const float> logits, std::int64_t count) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0.0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  const double log_sum = largest + std::log(sum);
  std::vector<TokenId> ids(logits.size());
  std::iota(ids.begin(), ids.end(), 0);
  const auto shown = ids.begin() + std::min<std::ptrdiff_t>(count, std::ssize(ids));
  std::partial_sort(ids.begin(), shown, ids.end(),
                    [&](TokenId a, TokenId b) { return logits[a] != logits[b] ? logits[a] > logits[b] : a < b; });
  TokenChances chances{.id = id, .log_probability = logits[id] - log_sum, .alternatives = {}};
  for (auto other = ids.begin(); other != shown; ++other)
    chances.alternatives.emplace_back(*other, logits[*other] - log_sum);
  return chances;
}

std::vector<TokenChances> chances_of_text(LoadedModel& loaded, const std::vector<TokenId>& ids, std::int64_t count) {
  const torch::Tensor logits = logits_of(loaded, ids, false);  // [T, V]
  const auto V = static_cast<std::size_t>(logits.size(1));
  const float* row = logits.data_ptr<float>();
  std::vector<TokenChances> all;
  for (std::size_t t = 1; t < ids.size(); ++t, row += V) all.push_back(chances_of(ids[t], {row, V}, count));
  return all;
}

torch::Tensor next_logits(LoadedModel& loaded, const std::vector<TokenId>& ids) {
  return logits_of(loaded, ids, true).squeeze(0);  // [V]
}

}  // namespace tinylm
