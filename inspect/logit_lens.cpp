#include "inspect/logit_lens.h"

#include <algorithm>
#include <limits>

namespace tinylm {

torch::Tensor lens_logits(const TracedText& traced, std::int64_t row) {
  if (row == traced.config().layers) return traced.text.logits;
  const torch::NoGradGuard no_gradient;
  const torch::Tensor& x = traced.trace.residuals[static_cast<std::size_t>(row)].squeeze(0);  // [T, C]
  return traced.weights.logits(x, traced.loaded.model->ops());
}

LogitLens logit_lens(const TracedText& traced) {
  const std::int64_t T = traced.text.tokens();
  const torch::Tensor targets = traced.targets().unsqueeze(1);  // [T-1, 1]
  std::vector<torch::Tensor> top, top_probabilities, target_probabilities, entropies;
  for (std::int64_t row = 0; row <= traced.config().layers; ++row) {
    const torch::Tensor log_p = torch::log_softmax(lens_logits(traced, row), -1);  // [T, V]
    const torch::Tensor p = log_p.exp();
    const auto [values, ids] = p.topk(std::min(kLensTop, p.size(-1)), -1);
    top.push_back(ids.to(torch::kInt32));
    top_probabilities.push_back(values);
    torch::Tensor of_targets = torch::full({T}, std::numeric_limits<float>::quiet_NaN());
    of_targets.slice(0, 0, T - 1).copy_(p.slice(0, 0, T - 1).gather(1, targets).squeeze(1));
    target_probabilities.push_back(of_targets);
    entropies.push_back((p * log_p).sum(-1).neg());
  }
  return {torch::stack(top), torch::stack(top_probabilities), torch::stack(target_probabilities),
          torch::stack(entropies)};
}

}  // namespace tinylm
