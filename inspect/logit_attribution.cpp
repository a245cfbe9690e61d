#include "inspect/logit_attribution.h"

#include <limits>

#include <spdlog/fmt/fmt.h>

#include "model/ops/multiply.h"
#include "model/ops/norms.h"

namespace tinylm {
namespace {

torch::Tensor wide(const torch::Tensor& x) {
  return x.to(torch::kFloat64);
}

/// A component c adds c . direction[t] to the logit of the token after position t: [T-1, C] float64.
torch::Tensor directions(const TracedText& traced) {
  const torch::Tensor target_weights = wide(traced.weights.output()).index_select(0, traced.targets());  // [T-1, C]
  torch::Tensor direction = target_weights * wide(traced.weights.norm_weight());
  torch::Tensor x = wide(traced.trace.residuals.back().squeeze(0)).slice(0, 0, direction.size(0));  // [T-1, C]
  if (traced.config().norm == NormKind::kLayerNorm) {  // (c - mean c) . g = c . (g - mean g)
    direction = direction - direction.mean(-1, /*keepdim=*/true);
    x = x - x.mean(-1, /*keepdim=*/true);
  }
  return direction / (x.square().mean(-1, /*keepdim=*/true) + ops::kNormEpsilon).sqrt();
}

/// Fills an attribution component by component.
class Ledger {
 public:
  explicit Ledger(const TracedText& traced) : traced_(traced), directions_(directions(traced)) {}

  /// c [T, C], or [C] for one that is the same at every position.
  void add(const LogitComponent& component, const torch::Tensor& c) {
    const torch::Tensor written = c.dim() == 1 ? wide(c) : wide(c).slice(0, 0, directions_.size(0));
    add_values(component, (written * directions_).sum(-1));
  }
  void add_values(const LogitComponent& component, const torch::Tensor& values) {
    components_.push_back(component);
    values_.push_back(values);
  }
  /// The heads of a layer, by their outputs before the projection.
  void add_heads(std::int64_t layer) {
    const torch::Tensor outputs = traced_.trace.heads[static_cast<std::size_t>(layer)].output.squeeze(0);  // [H, T, D]
    const torch::Tensor weights = traced_.weights.of_heads(layer);                                         // [H, D, C]
    const std::int64_t H = outputs.size(0), rows = directions_.size(0);
    const torch::Tensor seen = at::empty({H, rows, outputs.size(2)});  // of each direction, by the head: [H, T-1, D]
    if (rows > 0) {
      const torch::Tensor same = directions_.to(torch::kFloat32).unsqueeze(0).expand({H, rows, weights.size(2)});
      ops::multiply(same, ops::transposed(weights), seen);
    }
    const torch::Tensor values = (wide(outputs.slice(1, 0, rows)) * wide(seen)).sum(-1);  // [H, T-1]
    for (std::int64_t head = 0; head < H; ++head) add_values({head_name(layer, head), layer, head}, values[head]);
  }
  LogitAttribution finish() const {
    const std::int64_t T = traced_.text.tokens();
    const auto with_last = [&](const torch::Tensor& values) {  // [.., T-1] -> [.., T]
      return torch::constant_pad_nd(values.to(torch::kFloat32), {0, 1}, std::numeric_limits<float>::quiet_NaN());
    };
    const torch::Tensor logits = traced_.text.logits.slice(0, 0, T - 1).gather(1, traced_.targets().unsqueeze(1));
    return {components_, with_last(torch::stack(values_)), with_last(logits.squeeze(1))};
  }

 private:
  const TracedText& traced_;
  torch::Tensor directions_;
  std::vector<LogitComponent> components_;
  std::vector<torch::Tensor> values_;
};

}  // namespace

LogitAttribution logit_attribution(const TracedText& traced) {
  Ledger ledger(traced);
  const Trace& trace = traced.trace;
  const torch::Tensor tokens = traced.weights.embedding().index_select(0, ids_tensor(traced.text.ids));  // [T, C]
  const torch::Tensor positions = trace.residuals.front().squeeze(0) - tokens;
  ledger.add({"embedding"}, tokens);
  if (positions.count_nonzero().item<std::int64_t>() > 0) ledger.add({"position"}, positions);
  for (std::int64_t layer = 0; layer < traced.config().layers; ++layer) {
    const auto l = static_cast<std::size_t>(layer);
    ledger.add_heads(layer);
    const torch::Tensor bias = traced.weights.head_bias(layer);
    if (bias.defined()) ledger.add({fmt::format("L{} output bias", layer)}, bias);
    ledger.add({fmt::format("L{} feed-forward", layer)},
               wide(trace.residuals[l + 1].squeeze(0)) - wide(trace.after_attention[l].squeeze(0)));
  }
  if (const torch::Tensor& bias = traced.weights.norm_bias(); bias.defined()) {
    const torch::Tensor target_weights = wide(traced.weights.output()).index_select(0, traced.targets());
    ledger.add_values({"final norm bias"}, torch::matmul(target_weights, wide(bias)));
  }
  return ledger.finish();
}

torch::Tensor LogitAttribution::mean_of_heads(std::int64_t L, std::int64_t H) const {
  torch::Tensor means = torch::full({L, H}, std::numeric_limits<double>::quiet_NaN(), torch::kFloat64);
  for (std::size_t i = 0; i < components.size(); ++i) {
    const auto& [name, layer, head] = components[i];
    if (layer >= 0) means[layer][head] = wide(values[static_cast<std::int64_t>(i)]).slice(0, 0, -1).mean();
  }
  return means;
}

}  // namespace tinylm
