#include "train/evaluate.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "sample/token_losses.h"

namespace tinylm {

double evaluate(LanguageModel& model, const EvaluationWindows& windows, std::int64_t rows) {
  const std::int64_t tokens = windows.predicted_tokens();
  if (tokens == 0) return std::numeric_limits<double>::quiet_NaN();
  double total_nats = 0.0;
  for_each_loss(model, windows, rows, [&](std::span<const double> losses_nats) {
    total_nats = std::accumulate(losses_nats.begin(), losses_nats.end(), total_nats);
  });
  return total_nats / static_cast<double>(tokens);
}

std::int64_t evaluation_rows(const ModelConfig& config) {
  constexpr std::int64_t kTokens = 1024;
  constexpr std::int64_t kLogits = 1 << 23;
  const std::int64_t by_logits = kLogits / std::max<std::int64_t>(1, config.context * config.vocabulary_size);
  return std::max<std::int64_t>(1, std::min(kTokens / config.context, by_logits));
}

}  // namespace tinylm
