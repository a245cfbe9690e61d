#include "inspect/traced_text.h"

#include "model/ops/multiply.h"

namespace tinylm {
namespace {

Trace everything() {
  return {.want_attention = true, .want_residuals = true, .want_heads = true};
}

}  // namespace

TracedText::TracedText(LoadedModel& model, const std::vector<TokenId>& ids)
    : loaded(model), trace(everything()), text(inspect(model, ids, trace)), weights(model.model) {}

torch::Tensor TracedText::head_outputs(std::int64_t layer) const {
  const torch::Tensor& heads = trace.heads[static_cast<std::size_t>(layer)].output;  // [1, H, T, D]
  return torch::bmm(heads.squeeze(0), weights.of_heads(layer));
}

torch::Tensor TracedText::value_norms() const {
  std::vector<torch::Tensor> norms;
  for (std::int64_t layer = 0; layer < config().layers; ++layer) {
    const torch::Tensor values = trace.heads[static_cast<std::size_t>(layer)].v.squeeze(0).repeat_interleave(
        config().heads / config().key_value_heads(), 0);                                        // [H, T, D]
    const torch::Tensor written = at::empty({values.size(0), values.size(1), config().width});  // [H, T, C]
    ops::multiply(values, weights.of_heads(layer), written);
    norms.push_back(written.norm(2, {-1}));  // [H, T]
  }
  return torch::stack(norms);
}

}  // namespace tinylm
