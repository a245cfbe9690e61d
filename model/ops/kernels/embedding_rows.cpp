#include "model/ops/kernels/embedding_rows.h"

#include <algorithm>

#include "core/parallel.h"
#include "core/vectorised.h"

namespace tinylm::ops {
namespace {

constexpr std::int64_t kElementsPerThread = 1 << 14;  // fewer are not worth waking another thread

void add_row(float* __restrict sum, const float* row, std::int64_t C) {
#pragma omp simd
  for (std::int64_t c = 0; c < C; ++c) sum[c] += row[c];
}

void look_up(EmbeddingRows sizes, const float* table, const float* added, float* out, std::int64_t first,
             std::int64_t last) {
  const std::int64_t C = sizes.C;
  for (std::int64_t i = first; i < last; ++i) {
    std::copy_n(table + sizes.ids[i] * C, C, out + i * C);
    if (added != nullptr) add_row(out + i * C, added + i % sizes.T * C, C);
  }
}

/// Rows [first, last) of the table.
void sum_by_id(EmbeddingRows sizes, const float* dout, float* dtable, std::int64_t first, std::int64_t last) {
  std::fill(dtable + first * sizes.C, dtable + last * sizes.C, 0.0F);
  for (std::int64_t i = 0; i < sizes.count; ++i) {
    const std::int64_t id = sizes.ids[i];
    if (id >= first && id < last) add_row(dtable + id * sizes.C, dout + i * sizes.C, sizes.C);
  }
}

/// Positions [first, last).
void sum_by_position(EmbeddingRows sizes, const float* dout, float* dadded, std::int64_t first, std::int64_t last) {
  std::fill(dadded + first * sizes.C, dadded + last * sizes.C, 0.0F);
  for (std::int64_t text = 0; text < sizes.count; text += sizes.T)
    for (std::int64_t t = first; t < last; ++t) add_row(dadded + t * sizes.C, dout + (text + t) * sizes.C, sizes.C);
}

/// The least part of `parts` that makes a thread worth waking, when all of them take all of dout.
std::int64_t grain(const EmbeddingRows& sizes, std::int64_t parts) {
  return std::max<std::int64_t>(1, parts * kElementsPerThread / std::max<std::int64_t>(1, sizes.count * sizes.C));
}

}  // namespace

void look_up_rows(const EmbeddingRows& sizes, const float* table, const float* added, float* out) {
  parallel_for(0, sizes.count, grain(sizes, sizes.count), [&](std::int64_t first, std::int64_t last) {
    vectorised<look_up>(sizes, table, added, out, first, last);
  });
}

void sum_rows_by_id(const EmbeddingRows& sizes, const float* dout, float* dtable) {
  parallel_for(0, sizes.V, grain(sizes, sizes.V),
               [&](std::int64_t first, std::int64_t last) { vectorised<sum_by_id>(sizes, dout, dtable, first, last); });
}

void sum_rows_by_position(const EmbeddingRows& sizes, const float* dout, float* dadded) {
  parallel_for(0, sizes.T, grain(sizes, sizes.T), [&](std::int64_t first, std::int64_t last) {
    vectorised<sum_by_position>(sizes, dout, dadded, first, last);
  });
}

}  // namespace tinylm::ops
