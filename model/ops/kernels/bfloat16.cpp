#include "model/ops/kernels/bfloat16.h"

#include <bit>

#include "core/parallel.h"
#include "core/vectorised.h"

namespace tinylm::ops {
namespace {

constexpr std::int64_t kNumbersPerThread = 1 << 15;  // fewer are not worth waking another thread

/// Adding half of the last place that stays carries into it where more than half is cut off; one less than half, and
/// the place's own bit, leaves the halfway cases to the even one. A quiet bit keeps what is not a number from becoming
/// infinite when its lower half is cut off.
inline std::uint16_t rounded(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t nearest = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
  const std::uint32_t not_a_number = (bits >> 16) | 0x40U;
  return static_cast<std::uint16_t>((bits & 0x7FFFFFFFU) > 0x7F800000U ? not_a_number : nearest);
}

void round_range(const float* from, std::uint16_t* __restrict to, std::int64_t first, std::int64_t last) {
#pragma omp simd
  for (std::int64_t i = first; i < last; ++i) to[i] = rounded(from[i]);
}

}  // namespace

void round_to_bfloat16(const float* from, std::int64_t count, std::uint16_t* to) {
  parallel_for(0, count, kNumbersPerThread,
               [&](std::int64_t first, std::int64_t last) { vectorised<round_range>(from, to, first, last); });
}

}  // namespace tinylm::ops
