// Dropout: plain is libtorch's, whose mask depends on the state of a generator.
#include "model/ops/dropout.h"
#include "bench/operations/support.h"

namespace tinylm::bench {
namespace {

constexpr double kProbability = 0.1;

void dropout(benchmark::State& state) {
  const Sizes& s = sizes_of(state);
  const torch::Tensor x = trained({s.B, s.T, s.C});
  const DropoutPlan plan{.probability = kProbability, .seed = 1, .first_sample = 0};
  time_passes(state, {x}, 2.0 * static_cast<double>(x.numel()), [&] {
    return ops_of(state) == Ops::kAuto ? ops::dropout(x, plan, 0) : torch::dropout(x, kProbability, /*train=*/true);
  });
}

BENCHMARK(dropout)->Apply(all_sizes);

}  // namespace
}  // namespace tinylm::bench
