// The attention half of a block: norm, projections, causal attention, residual.
#include "bench/operations/support.h"
#include "model/config.h"
#include "model/positions.h"
#include "model/self_attention.h"

namespace tinylm::bench {
namespace {

ModelConfig config_of(const Sizes& s) {
  ModelConfig config;
  config.vocabulary_size = s.V;
  config.context = s.T;
  config.heads = s.H;
  config.width = s.C;
  return config;
}

/// Two for each weight and token forward and four backward, and six products over the allowed half of the scores.
double operations_of(const Sizes& s) {
  const auto rows = static_cast<double>(s.rows()), C = static_cast<double>(s.C), T = static_cast<double>(s.T);
  return 6.0 * rows * 4.0 * C * C + 12.0 * rows * C * (T + 1.0) / 2.0;
}

void attention_sublayer(benchmark::State& state) {
  const Sizes& s = sizes_of(state);
  const ModelConfig config = config_of(s);
  Norm norm(config.norm, s.C, false);
  SelfAttention attention(config, 0);
  std::vector<torch::Tensor> inputs = {trained({s.B, s.T, s.C}), norm->weight()};
  const torch::Tensor x = inputs[0];
  for (torch::Tensor& weight : attention->parameters()) {
    const torch::NoGradGuard no_gradient;
    inputs.push_back(weight.normal_(0.0, 0.05));
  }
  const std::shared_ptr<Positions> positions = find_position_kind("learned")->make(config);
  const ForwardOptions options;
  const Ops ops = ops_of(state);
  const ForwardPass pass{.options = options,
                         .ops = ops,
                         .first_position = 0,
                         .positions = *positions,
                         .fused = positions->in_numbers(s.T, x),
                         .mask = ops::attention_mask(s.T, s.T, true, {}, x.options())};
  time_passes(state, inputs, operations_of(s), [&] {
    return ops == Ops::kAuto ? attention->add_fused(x, *norm, pass)
                             : x + attention->forward(norm->forward(x, ops), pass);
  });
}

BENCHMARK(attention_sublayer)->Apply(all_sizes);

}  // namespace
}  // namespace tinylm::bench
