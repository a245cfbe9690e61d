// The feed-forward half of a block: norm, two products with an activation between them, residual.
#include "model/ops/feed_forward.h"
#include "bench/operations/support.h"
#include "model/ops/activations.h"
#include "model/ops/linear.h"
#include "model/ops/norms.h"

namespace tinylm::bench {
namespace {

void feed_forward(benchmark::State& state, ActivationKind activation) {
  const Sizes& s = sizes_of(state);
  const std::int64_t F = 4 * s.C, expanded = ops::activation_inputs(activation) * F;
  const torch::Tensor x = trained({s.B, s.T, s.C});
  ops::FeedForwardWeights weights;
  weights.norm_weight = trained({s.C});
  weights.expand = trained({expanded, s.C}, 0.05);
  weights.contract = trained({s.C, F}, 0.05);
  weights.activation = activation;
  const double operations = 6.0 * static_cast<double>(s.rows() * s.C * (expanded + F));
  time_passes(state, {x, weights.norm_weight, weights.expand, weights.contract}, operations, [&] {
    if (ops_of(state) != Ops::kPlain) return ops::feed_forward(x, weights, {}, 0, ops_of(state));
    const torch::Tensor normed = ops::layer_norm(x, weights.norm_weight, {});
    const torch::Tensor hidden = ops::activation(ops::linear(normed, weights.expand, {}, Ops::kPlain), activation);
    return x + ops::linear(hidden, weights.contract, {}, Ops::kPlain);
  });
}

BENCHMARK_CAPTURE(feed_forward, gelu, ActivationKind::kGelu)->Apply(all_sizes_and_precisions);
BENCHMARK_CAPTURE(feed_forward, relu2, ActivationKind::kSquaredRelu)->Apply(all_sizes_and_precisions);
BENCHMARK_CAPTURE(feed_forward, swiglu, ActivationKind::kSwiGlu)->Apply(all_sizes_and_precisions);

}  // namespace
}  // namespace tinylm::bench
