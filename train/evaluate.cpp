#include "train/evaluate.h"

#include <algorithm>
#include <limits>

#include "model/ops/projected_loss.h"

namespace tinylm {

double evaluate(LanguageModel& model, const EvaluationWindows& windows, std::int64_t rows) {
  const std::int64_t tokens = windows.predicted_tokens();
  if (tokens == 0) return std::numeric_limits<double>::quiet_NaN();
  const torch::NoGradGuard no_gradients;
  double total_nats = 0.0;
  for (std::int64_t first = 0; first < windows.windows(); first += rows) {
    const Batch batch = windows.batch(first, rows);
    const torch::Tensor hidden = model->hidden(batch.inputs, {.force_causal = true});  // [B, T, C]
    const torch::Tensor nats =
        ops::projected_loss(hidden, model->output_weight(), batch.targets, model->ops(), ops::LossReduction::kSum);
    total_nats += nats.item<double>();
  }
  return total_nats / static_cast<double>(tokens);
}

std::int64_t evaluation_rows(const ModelConfig& config) {
  constexpr std::int64_t kTokens = 4096;
  constexpr std::int64_t kLogits = 1 << 23;
  const std::int64_t by_logits = kLogits / std::max<std::int64_t>(1, config.context * config.vocabulary_size);
  return std::max<std::int64_t>(1, std::min(kTokens / config.context, by_logits));
}

}  // namespace tinylm
