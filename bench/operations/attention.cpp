// The attention half of a block: norm, projections, causal attention, residual.
#include <string>

#include "bench/operations/support.h"
#include "model/config.h"
#include "model/positions.h"
#include "model/self_attention.h"

namespace tinylm::bench {
namespace {

/// kv_heads 0: as many as heads.
ModelConfig config_of(const Sizes& s, const std::string& positions, std::int64_t kv_heads) {
  ModelConfig config;
  config.vocabulary_size = s.V;
  config.context = s.T;
  config.heads = s.H;
  config.width = s.C;
  config.positions = positions;
  config.kv_heads = kv_heads;
  return config;
}

/// Two for each weight and token forward and four backward, and six products over the allowed half of the scores.
double operations_of(const Sizes& s, const ModelConfig& config) {
  const auto rows = static_cast<double>(s.rows()), C = static_cast<double>(s.C), T = static_cast<double>(s.T);
  const auto keys = static_cast<double>(config.key_value_heads() * config.head_size());
  return 6.0 * rows * C * (2.0 * C + 2.0 * keys) + 12.0 * rows * C * (T + 1.0) / 2.0;
}

void attention_sublayer(benchmark::State& state, const std::string& kind, std::int64_t kv_heads) {
  const Sizes& s = sizes_of(state);
  const ModelConfig config = config_of(s, kind, kv_heads);
  Norm norm(config.norm, s.C, false);
  SelfAttention attention(config, 0);
  std::vector<torch::Tensor> inputs = {trained({s.B, s.T, s.C}), norm->weight()};
  const torch::Tensor x = inputs[0];
  for (torch::Tensor& weight : attention->parameters()) {
    const torch::NoGradGuard no_gradient;
    inputs.push_back(weight.normal_(0.0, 0.05));
  }
  const std::shared_ptr<Positions> positions = find_position_kind(kind)->make(config);
  const ForwardOptions options;
  const Ops ops = ops_of(state);
  const ForwardPass pass{.options = options,
                         .ops = ops,
                         .first_position = 0,
                         .positions = *positions,
                         .fused = positions->in_numbers(s.T, x),
                         .mask = ops::attention_mask(s.T, s.T, true, {}, x.options())};
  time_passes(state, inputs, operations_of(s, config), [&] {
    return ops != Ops::kPlain ? attention->add_fused(x, *norm, pass)
                              : x + attention->forward(norm->forward(x, ops), pass);
  });
}

BENCHMARK_CAPTURE(attention_sublayer, learned, "learned", 0)->Apply(all_sizes_and_precisions);
BENCHMARK_CAPTURE(attention_sublayer, rotary, "rope", 0)->Apply(all_sizes);
BENCHMARK_CAPTURE(attention_sublayer, rotary_grouped, "rope", 2)->Apply(all_sizes);

}  // namespace
}  // namespace tinylm::bench
