// Sums over many rows that come out the same for every number of threads: rows are cut into slices that depend on
// their number alone, each slice is summed by one thread, and the slices' sums are added in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/parallel.h"

namespace tinylm::ops {

/// How many slices `rows` rows are cut into: of at least 16 rows, and not more than 64.
inline std::int64_t row_slices(std::int64_t rows) {
  constexpr std::int64_t kLeastRows = 16, kMostSlices = 64;
  return std::clamp<std::int64_t>(rows / kLeastRows, 1, kMostSlices);
}

/// partial [slices, columns] -> its sums over the slices, added in order.
std::vector<float> add_slices(const std::vector<float>& partial, std::int64_t slices, std::int64_t columns);

/// Calls body(first row, last row, sums) for every slice, on several threads; it adds its rows to sums [columns], zeros
/// at first. Gives the sums of all slices, [columns]. `grain`: rows that make a thread worth waking. `body` must not
/// throw.
template <class Body>
std::vector<float> sum_over_rows(std::int64_t rows, std::int64_t columns, std::int64_t grain, const Body& body) {
  const std::int64_t slices = row_slices(rows);
  const std::int64_t slices_a_thread = std::max<std::int64_t>(1, grain * slices / std::max<std::int64_t>(1, rows));
  std::vector<float> partial(static_cast<std::size_t>(slices * columns));
  parallel_for(0, slices, slices_a_thread, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t slice = begin; slice < end; ++slice)
      body(rows * slice / slices, rows * (slice + 1) / slices, partial.data() + slice * columns);
  });
  return add_slices(partial, slices, columns);
}

/// sums[c] = x[0, c] + x[1, c] + ... for x [rows, columns] without gaps: the gradient of a bias.
void sum_rows(const float* x, std::int64_t rows, std::int64_t columns, float* sums);

}  // namespace tinylm::ops
