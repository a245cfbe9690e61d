// The kernels for any processor.
#include "model/ops/kernels/kernel_levels.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/philox.h"

namespace tinylm::ops {
namespace {

constexpr int kLanes = 4, kRows = 4;
using WideInteger [[gnu::vector_size(4 * kLanes)]] = std::uint64_t;
/// The products of the lower halves of 64-bit lanes.
inline WideInteger multiply_low_halves(WideInteger a, WideInteger b) {
  return (a & 0xFFFFFFFFU) * (b & 0xFFFFFFFFU);
}
#include "model/ops/kernels/level_backward.h"
#include "model/ops/kernels/level_dropout.h"

}  // namespace

const KernelLevel& kernels_baseline() {
  static constexpr KernelLevel level{attend_item, differentiate_item, finish_item_queries, drop_range};
  return level;
}

}  // namespace tinylm::ops
