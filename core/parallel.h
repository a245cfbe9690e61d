// Loops over several threads through OpenMP, the thread pool that libtorch and oneDNN use too.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>

namespace tinylm {

/// Calls `body(first, last)` on disjoint ranges that cover [begin, end), each at least `grain` long where possible.
/// Runs in the calling thread when the range is short or when already inside a parallel region. `body` must not throw.
template <class Body>
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, const Body& body) {
  const std::int64_t length = end - begin;
  if (length <= 0) return;
  const std::int64_t useful = std::max<std::int64_t>(1, length / std::max<std::int64_t>(1, grain));
  const int parts = static_cast<int>(std::min<std::int64_t>(omp_get_max_threads(), useful));
  if (parts <= 1 || omp_in_parallel()) {
    body(begin, end);
    return;
  }
#pragma omp parallel num_threads(parts)
  {
    const std::int64_t part = omp_get_thread_num();
    const std::int64_t count = omp_get_num_threads();
    body(begin + length * part / count, begin + length * (part + 1) / count);
  }
}

/// Calls `body(i)` for every i below `count`, each by the next thread that is free: for few, large or unequal pieces of
/// work whose results do not depend on who does them. `body` must not throw.
template <class Body>
void parallel_items(std::int64_t count, const Body& body) {
  const int threads = static_cast<int>(std::min<std::int64_t>(omp_get_max_threads(), count));
  if (threads <= 1 || omp_in_parallel()) {
    for (std::int64_t i = 0; i < count; ++i) body(i);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t i = 0; i < count; ++i) body(i);
}

}  // namespace tinylm
