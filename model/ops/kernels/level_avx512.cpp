// The kernels for AVX-512.
#include "model/ops/kernels/kernel_levels.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/philox.h"

#if TINYLM_LEVELS
#include <immintrin.h>

#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,prefer-vector-width=512")

namespace tinylm::ops {
namespace {

constexpr int kLanes = 16, kRows = 8;
using WideInteger = __m512i;
/// The products of the lower halves of 64-bit lanes, which the compiler does not find by itself.
inline WideInteger multiply_low_halves(WideInteger a, WideInteger b) {
  return _mm512_maskz_mul_epu32(0xFF, a, b);  // without a mask GCC 12 warns of its own header
}
#include "model/ops/kernels/level_backward.h"
#include "model/ops/kernels/level_dropout.h"

}  // namespace

const KernelLevel& kernels_avx512() {
  static constexpr KernelLevel level{attend_item, differentiate_item, finish_item_queries, drop_range};
  return level;
}

}  // namespace tinylm::ops
#pragma GCC pop_options
#endif
