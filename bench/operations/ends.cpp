// The two ends of the model: the embedding, and the output projection with the loss.
#include "bench/operations/support.h"
#include "model/ops/embedding.h"
#include "model/ops/projected_loss.h"

namespace tinylm::bench {
namespace {

torch::Tensor random_ids(const Sizes& s) {
  return torch::randint(s.V, {s.B, s.T}, torch::kInt64);
}

void embedding(benchmark::State& state) {
  const Sizes& s = sizes_of(state);
  const torch::Tensor weight = trained({s.V, s.C}), added = trained({s.T, s.C}), ids = random_ids(s);
  time_passes(state, {weight, added}, 3.0 * static_cast<double>(s.rows() * s.C),
              [&] { return ops::embedding(weight, ids, added, ops_of(state)); });
}

void projected_loss(benchmark::State& state) {
  const Sizes& s = sizes_of(state);
  const torch::Tensor hidden = trained({s.B, s.T, s.C}), weight = trained({s.V, s.C}, 0.05), targets = random_ids(s);
  time_passes(state, {hidden, weight}, 6.0 * static_cast<double>(s.rows() * s.C * s.V),
              [&] { return ops::projected_loss(hidden, weight, targets, ops_of(state)); });
}

BENCHMARK(embedding)->Apply(all_sizes);
BENCHMARK(projected_loss)->Apply(all_sizes_and_precisions);

}  // namespace
}  // namespace tinylm::bench
