// How fast all threads together can read a piece of memory again and again, each its own part: the limit of anything
// that walks over weights. A piece that fits in the caches stays there.
//   read_bandwidth MEGABYTES [SECONDS]
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "core/big_buffer.h"
#include "core/machine.h"
#include "core/parallel.h"
#include "core/vectorised.h"

namespace {

constexpr std::int64_t kStep = 128;  // floats in flight

float sum_of(const float* values, std::int64_t count) {
  float sums[kStep] = {};
  for (std::int64_t i = 0; i + kStep <= count; i += kStep)
    for (std::int64_t j = 0; j < kStep; ++j) sums[j] += values[i + j];
  float sum = 0.0F;
  for (const float one : sums) sum += one;
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: read_bandwidth MEGABYTES [SECONDS]\n");
    return 2;
  }
  const auto count = static_cast<std::int64_t>(std::stod(argv[1]) * 1e6 / sizeof(float));
  const double limit_s = argc > 2 ? std::stod(argv[2]) : 1.0;
  const int threads = tinylm::usable_cores();
  omp_set_num_threads(threads);
  tinylm::BigBuffer buffer(static_cast<std::size_t>(count));
  tinylm::parallel_for(0, count, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) buffer.data()[i] = 1.0F;
  });
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  std::vector<float> sums(static_cast<std::size_t>(threads));
  double fastest_s = 1e9;
  for (const auto begin = Clock::now(); seconds_since(begin) < limit_s;) {
    const auto once = Clock::now();
    tinylm::run_team(threads, [&](const tinylm::Team& team) {
      const auto [first, last] = team.share(count);
      sums[static_cast<std::size_t>(team.thread())] +=
          tinylm::vectorised<sum_of>(static_cast<const float*>(buffer.data()) + first, last - first);
    });
    fastest_s = std::min(fastest_s, seconds_since(once));
  }
  std::printf("gigabytes_per_s %.1f sum %g\n", static_cast<double>(count) * sizeof(float) / fastest_s * 1e-9,
              static_cast<double>(sums[0]));
}
