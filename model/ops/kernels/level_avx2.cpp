// The kernels for AVX2.
#include "model/ops/kernels/kernel_levels.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/philox.h"

#if TINYLM_LEVELS
#include <immintrin.h>

#pragma GCC push_options
#pragma GCC target("avx2,fma")

namespace tinylm::ops {
namespace {

constexpr int kLanes = 8, kRows = 4;
using WideInteger = __m256i;
/// The products of the lower halves of 64-bit lanes, which the compiler does not find by itself.
inline WideInteger multiply_low_halves(WideInteger a, WideInteger b) {
  return _mm256_mul_epu32(a, b);
}
#include "model/ops/kernels/level_backward.h"
#include "model/ops/kernels/level_dropout.h"

}  // namespace

const KernelLevel& kernels_avx2() {
  static constexpr KernelLevel level{attend_item, differentiate_item, finish_item_queries, drop_range};
  return level;
}

}  // namespace tinylm::ops
#pragma GCC pop_options
#endif
