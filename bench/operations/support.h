// What the benchmarks of operations share: the sizes they run at, and how a forward and backward pass is timed.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "core/torch.h"
#include "model/ops/matmul.h"
#include "model/ops/ops.h"

namespace tinylm::bench {

struct Sizes {
  const char* name;
  std::int64_t B, T, C, H, V;
  std::int64_t rows() const { return B * T; }
};
/// Those of `tinylm bench`.
inline constexpr Sizes kSizes[] = {
    {"tiny", 12, 64, 128, 4, 65}, {"baby", 8, 256, 384, 6, 65}, {"context_1024", 4, 1024, 128, 4, 65}};

/// The arguments of every benchmark: 0 for the plain definition, 1 for the fast one; and an index into kSizes.
inline void all_sizes(::benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"fast", "size"})
      ->ArgsProduct({{0, 1}, {0, 1, 2}})
      ->UseRealTime()
      ->Unit(::benchmark::kMicrosecond);
}
/// The same and, where the processor has such products, 2 for the fast one in bfloat16.
inline void all_sizes_and_precisions(::benchmark::internal::Benchmark* benchmark) {
  all_sizes(benchmark);
  if (ops::has_bf16_matmul()) benchmark->ArgsProduct({{2}, {0, 1, 2}});
}
inline Ops ops_of(const ::benchmark::State& state) {
  return state.range(0) == 0 ? Ops::kPlain : state.range(0) == 1 ? Ops::kAuto : Ops::kBfloat16;
}
inline const Sizes& sizes_of(const ::benchmark::State& state) {
  return kSizes[state.range(1)];
}

/// What one iteration has to do at least, whoever does it: floating-point operations, and bytes of its inputs, results
/// and gradients, each read or written once.
struct Work {
  double operations = 0.0, bytes = 0.0;
};
inline void report(::benchmark::State& state, const Work& work) {
  using ::benchmark::Counter;
  state.counters["FLOP/s"] = Counter(work.operations, Counter::kIsIterationInvariantRate);
  state.counters["bytes/s"] = Counter(work.bytes, Counter::kIsIterationInvariantRate, Counter::kIs1024);
  state.SetLabel(sizes_of(state).name);
}

/// float32 that wants a gradient.
inline torch::Tensor trained(torch::IntArrayRef sizes, double deviation = 1.0) {
  return (torch::randn(sizes) * deviation).requires_grad_(true);
}
inline double bytes_of(const std::vector<torch::Tensor>& tensors) {
  double bytes = 0.0;
  for (const torch::Tensor& tensor : tensors) bytes += static_cast<double>(tensor.nbytes());
  return bytes;
}

/// Times `forward()` and the backward pass from its result to `inputs`. Bytes: the inputs read and their gradients
/// written, the result written and its gradient read.
template <class Forward>
void time_passes(::benchmark::State& state, const std::vector<torch::Tensor>& inputs, double operations,
                 const Forward& forward) {
  const torch::Tensor dy = torch::ones_like(forward());
  for (auto _ : state) {
    forward().backward(dy);
    for (const torch::Tensor& input : inputs) input.mutable_grad() = torch::Tensor();
  }
  report(state, {operations, 2.0 * (bytes_of(inputs) + bytes_of({dy}))});
}

}  // namespace tinylm::bench
