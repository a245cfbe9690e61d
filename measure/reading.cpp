#include "measure/reading.h"

#include "core/parallel.h"
#include "core/stop_watch.h"
#include "core/vectorised.h"

namespace tinylm {
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

Reading::Reading(std::size_t bytes)
    : count_(bytes / sizeof(float)), buffer_(count_), sums_(static_cast<std::size_t>(omp_get_max_threads())) {
  float* values = buffer_.data();
  parallel_for(0, static_cast<std::int64_t>(count_), 1, [values](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) values[i] = 1.0F;
  });
}

double Reading::run_s() {
  return seconds_of([&] {
    run_team(static_cast<int>(sums_.size()), [&](const Team& team) {
      const auto [first, last] = team.share(static_cast<std::int64_t>(count_));
      sums_[static_cast<std::size_t>(team.thread())] +=
          vectorised<sum_of>(static_cast<const float*>(buffer_.data()) + first, last - first);
    });
  });
}

}  // namespace tinylm
