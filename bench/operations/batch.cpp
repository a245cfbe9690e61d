// Drawing the samples of a step from the token file. It takes microseconds, so a step draws its own: what could take
// long is the disk, which is asked for the next step's samples while this one computes.
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "bench/operations/support.h"
#include "data/batch.h"

namespace tinylm::bench {
namespace {

/// 0: draws a batch; 1: also has the next one prepared, as a training step does.
void batch(benchmark::State& state) {
  const Sizes& s = sizes_of(state);
  constexpr std::size_t kIds = 1'000'000;
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("tinylm-bench-" + std::to_string(::getpid()));
  TokenFileWriter writer(path, s.V, 0);
  writer.append(std::vector<TokenId>(kIds, 1));
  writer.finish();
  const TokenFile file(path);
  const BatchSource source({&file, 0, file.size()}, s.T, 1);
  std::int64_t sample = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(source.samples(sample, s.B));
    sample += s.B;
    if (state.range(0) != 0) source.prepare(sample, s.B);
  }
  report(state, {0.0, static_cast<double>(s.B * ((s.T + 1) * 9 + s.T * 32))});
  std::filesystem::remove(path);
}

BENCHMARK(batch)->Apply(all_sizes);

}  // namespace
}  // namespace tinylm::bench
