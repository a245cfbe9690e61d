// LayerNorm and RMSNorm.
#include "model/ops/norms.h"
#include "bench/operations/support.h"

namespace tinylm::bench {
namespace {

constexpr double kOperationsPerNumber = 16.0;  // mean, variance and scaling forward; two sums, gain and input backward

void norm(benchmark::State& state, NormKind kind) {
  const Sizes& s = sizes_of(state);
  const torch::Tensor x = trained({s.B, s.T, s.C}), weight = trained({s.C});
  time_passes(state, {x, weight}, kOperationsPerNumber * static_cast<double>(x.numel()),
              [&] { return ops::norm(kind, x, weight, torch::Tensor(), ops_of(state)); });
}

BENCHMARK_CAPTURE(norm, layernorm, NormKind::kLayerNorm)->Apply(all_sizes);
BENCHMARK_CAPTURE(norm, rmsnorm, NormKind::kRmsNorm)->Apply(all_sizes);

}  // namespace
}  // namespace tinylm::bench
