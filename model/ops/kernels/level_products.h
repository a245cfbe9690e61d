// Matrix products of tiles that lie in the caches; the three are not inlined, so that each has all registers. Included
// like level_vectors.h, after kRows (rows whose sums are kept in registers, two vectors each) has been defined.
#pragma once

#include "model/ops/kernels/level_vectors.h"

/// The left factor: element (i, k) is data[i * row + k * column].
struct Left {
  const float* data;
  std::int64_t row, column;
};

/// kRows rows and kVectors vectors of c (+)= a b, for k in [first, last); rows of b and c are b_row and c_row apart.
template <int kVectors, bool kAdd>
inline void multiply_block(const Left& a, const float* b, std::int64_t b_row, float* c, std::int64_t c_row,
                           std::int64_t first, std::int64_t last) {
  Vector sums[kRows][kVectors];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) sums[i][v] = kAdd ? load(c + i * c_row + v * kLanes) : Vector{};
  for (std::int64_t k = first; k < last; ++k) {
    Vector right[kVectors];
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) right[v] = load(b + k * b_row + v * kLanes);
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      const Vector left = broadcast(a.data[i * a.row + k * a.column]);
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) sums[i][v] += left * right[v];
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) store(c + i * c_row + v * kLanes, sums[i][v]);
}

/// kRows rows of c (+)= a b; `columns` a multiple of kLanes.
template <bool kAdd>
inline void multiply_rows(const Left& a, const float* b, std::int64_t b_row, float* c, std::int64_t c_row,
                          std::int64_t columns, std::int64_t first, std::int64_t last) {
  std::int64_t n = 0;
  for (; n + 2 * kLanes <= columns; n += 2 * kLanes)
    multiply_block<2, kAdd>(a, b + n, b_row, c + n, c_row, first, last);
  if (n < columns) multiply_block<1, kAdd>(a, b + n, b_row, c + n, c_row, first, last);
}

/// How two tiles meet: query i of the first and key j of the second, both below kTile.
struct TilePair {
  std::int64_t queries, keys;  // how many there are; beyond them tiles hold zeros up to a multiple of kPadding
  bool diagonal;               // the same tile: key j is hidden from query i when j > i

  /// How many keys some of the kRows queries from i on see.
  std::int64_t seen_by(std::int64_t i) const { return diagonal ? smaller(i + kRows, keys) : keys; }
};

/// scores [queries, keys] = a b for a [queries, d], b [d, keys] with rows of kTile; whole vectors of the keys seen.
[[gnu::noinline]] inline void multiply_scores(const TilePair& pair, const float* a, const float* b, std::int64_t d,
                                              float* scores) {
  for (std::int64_t i = 0; i < pair.queries; i += kRows) {
    const std::int64_t keys = (pair.seen_by(i) + kLanes - 1) / kLanes * kLanes;
    multiply_rows<false>({a + i * d, d, 1}, b, kTile, scores + i * kTile, kTile, keys, 0, d);
  }
}

/// c [queries, d] (+)= weights [queries, keys] b [keys, d].
template <bool kAdd>
[[gnu::noinline]] inline void multiply_weights(const TilePair& pair, const float* weights, const float* b,
                                               std::int64_t d, float* c) {
  for (std::int64_t i = 0; i < pair.queries; i += kRows) {
    multiply_rows<kAdd>({weights + i * kTile, kTile, 1}, b, d, c + i * d, d, d, 0, pair.seen_by(i));
  }
}

/// c [keys, d] (+)= weights^T [keys, queries] b [queries, d].
template <bool kAdd>
[[gnu::noinline]] inline void multiply_transposed_weights(const TilePair& pair, const float* weights, const float* b,
                                                          std::int64_t d, float* c) {
  for (std::int64_t j = 0; j < pair.keys; j += kRows)
    multiply_rows<kAdd>({weights + j, 1, kTile}, b, d, c + j * d, d, d, pair.diagonal ? j : 0, pair.queries);
}
