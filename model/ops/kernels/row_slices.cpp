#include "model/ops/kernels/row_slices.h"

#include "core/vectorised.h"

namespace tinylm::ops {
namespace {

void add_rows(const float* x, std::int64_t rows, std::int64_t columns, float* __restrict sums) {
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t c = 0; c < columns; ++c) sums[c] += x[row * columns + c];
}

}  // namespace

std::vector<float> add_slices(const std::vector<float>& partial, std::int64_t slices, std::int64_t columns) {
  std::vector<float> sums(static_cast<std::size_t>(columns));
  vectorised<add_rows>(partial.data(), slices, columns, sums.data());
  return sums;
}

void sum_rows(const float* x, std::int64_t rows, std::int64_t columns, float* sums) {
  const std::int64_t grain = std::max<std::int64_t>(1, (1 << 15) / std::max<std::int64_t>(1, columns));
  const std::vector<float> found =
      sum_over_rows(rows, columns, grain, [&](std::int64_t first, std::int64_t last, float* sum) {
        vectorised<add_rows>(x + first * columns, last - first, columns, sum);
      });
  std::copy(found.begin(), found.end(), sums);
}

}  // namespace tinylm::ops
