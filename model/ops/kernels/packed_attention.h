// Causal attention of float32 in tiles, straight from the packed output of the query/key/value projection, forward and
// backward. Pointers and sizes only; ops/attention.h has the definition. Source of the tiles: Dao, "FlashAttention-2"
// (2023), algorithms 1 and 2.
#pragma once

#include <cstdint>

#include "model/ops/kernels/dropout_rows.h"

namespace tinylm::ops {

/// Sizes and options. A row of the packed tensor [B, T, (H + 2 Hkv) D] holds H queries, Hkv keys and Hkv values of D
/// numbers; query head h uses key head h / (H / Hkv). Query i sees keys 0 .. i; scores are divided by sqrt(D).
struct PackedAttention {
  std::int64_t B = 0, T = 0, H = 0, Hkv = 0, D = 0;
  const float* query_weight = nullptr;  // [D], RMSNorm of queries with this weight; null: none
  const float* key_weight = nullptr;    // [D], the same for keys
  float epsilon = 0.0F;                 // added to the mean square
  const float* cosines = nullptr;       // [T, D/2]: then the pair (x[i], x[i + D/2]) of queries and keys turns by the
  const float* sines = nullptr;         // angle with this cosine and sine, after the norm; null: no rotation
  const float* slopes = nullptr;        // [H]: query i lowers the score of key j by slope * (i - j); null: no bias
  DropoutPlan dropout = {};             // of the weights, as ops/dropout.h has it for a tensor [B, H, T, T]
  std::int64_t dropout_site = 0;

  std::int64_t packed_width() const { return (H + 2 * Hkv) * D; }
  std::int64_t heads_a_key() const { return H / Hkv; }
};

/// What the backward pass needs beside the packed tensor and the output, for every row of scores, [B, H, T] each.
struct SoftmaxRows {
  float* largest = nullptr;  // the largest score in units of ln 2
  float* inverse = nullptr;  // 1 / the sum of 2^(score - largest)
};

/// output [B, T, H D]: the heads' outputs side by side. Memory grows with T alone. Bits do not depend on the number of
/// threads, nor do those of a row on later ones.
void packed_attention_forward(const PackedAttention& shape, const float* packed, float* output,
                              const SoftmaxRows& rows);

/// From doutput [B, T, H D]: dpacked, like packed, and the gradients of the norms' weights [D] (null: not wanted). All
/// are overwritten. Bits do not depend on the number of threads.
void packed_attention_backward(const PackedAttention& shape, const float* packed, const float* output,
                               const SoftmaxRows& rows, const float* doutput, float* dpacked, float* dquery_weight,
                               float* dkey_weight);

}  // namespace tinylm::ops
