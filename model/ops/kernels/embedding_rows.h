// Looking up float32 rows by number, and the sums that are its gradient. Pointers and sizes only; ops/embedding.h has
// the definition.
#pragma once

#include <cstdint>

namespace tinylm::ops {

/// `count` ids in [0, V) of rows of C numbers; id i stands at position i % T of its text.
struct EmbeddingRows {
  std::int64_t count = 0, V = 0, C = 0, T = 1;
  const std::int64_t* ids = nullptr;  // [count]
};

/// out[i] = table[ids[i]] + added[i % T]; table [V, C], added [T, C] or null, out [count, C].
void look_up_rows(const EmbeddingRows& sizes, const float* table, const float* added, float* out);

/// dtable[v] = sum of dout[i] over all i with ids[i] = v, added in their order whatever the number of threads; rows
/// that no id names are 0.
void sum_rows_by_id(const EmbeddingRows& sizes, const float* dout, float* dtable);

/// dadded[t] = sum of dout[i] over all i with i % T = t, in their order.
void sum_rows_by_position(const EmbeddingRows& sizes, const float* dout, float* dadded);

}  // namespace tinylm::ops
