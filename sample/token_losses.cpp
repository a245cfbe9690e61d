#include "sample/token_losses.h"

#include "model/ops/projected_loss.h"

namespace tinylm {

void for_each_loss(LanguageModel& model, const EvaluationWindows& windows, std::int64_t rows, const LossSink& sink) {
  const torch::NoGradGuard no_gradients;
  const std::int64_t count = windows.windows();
  for (std::int64_t first = 0; first < count; first += rows) {
    const Batch batch = windows.batch(first, rows);
    const torch::Tensor hidden = model->hidden(batch.inputs, {.force_causal = true});  // [B, T, C]
    const torch::Tensor losses = ops::projected_loss(hidden, model->output_weight(), batch.targets, model->ops(),
                                                     ops::LossReduction::kNone);  // [B, T]
    const torch::Tensor counted = losses.to(torch::kCPU, torch::kFloat64)
                                      .masked_select(batch.targets.ne(kIgnoredTarget))
                                      .contiguous();  // [predicted]
    sink({counted.data_ptr<double>(), static_cast<std::size_t>(counted.numel())});
  }
}

}  // namespace tinylm
