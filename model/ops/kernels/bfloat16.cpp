#include "model/ops/kernels/bfloat16.h"

#include "core/parallel.h"
#include "core/vectorised.h"

namespace tinylm::ops {
namespace {

constexpr std::int64_t kNumbersPerThread = 1 << 15;  // fewer are not worth waking another thread

void round_range(const float* from, Bfloat16* __restrict to, std::int64_t first, std::int64_t last) {
#pragma omp simd
  for (std::int64_t i = first; i < last; ++i) to[i] = rounded_to_bfloat16(from[i]);
}

}  // namespace

void round_to_bfloat16(const float* from, std::int64_t count, Bfloat16* to) {
  parallel_for(0, count, kNumbersPerThread,
               [&](std::int64_t first, std::int64_t last) { vectorised<round_range>(from, to, first, last); });
}

}  // namespace tinylm::ops
