// Times each operation of model/ops and the optimizers by itself, plain (fast:0) against fast (fast:1, in bfloat16
// fast:2), with the operations and bytes that it needs at least as counters.
//   operations_benchmark [--benchmark_filter=attention] [--benchmark_repetitions=5]
#include <benchmark/benchmark.h>

#include "core/machine.h"
#include "core/torch_compat.h"

int main(int argc, char** argv) {
  tinylm::use_threads(tinylm::usable_cores());
  torch::manual_seed(1337);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
