// The backward pass of packed attention for one item. Included like level_forward.h, after it.
#pragma once

#include "model/ops/kernels/level_forward.h"

/// Buffers of an item, each with padded rows for every position: [tiles, kTile, padded(D)]; keys_t and values_t are
/// tiles of [padded(D), kTile].
struct BackwardBuffers {
  float *queries, *doutput, *deltas, *keys, *keys_t, *values_t, *dkeys, *dvalues, *scores, *gradients;

  BackwardBuffers(const PackedAttention& shape, float*& rest) {
    const std::int64_t positions = tile_count(shape) * kTile, rows = positions * padded(shape.D);
    for (float** buffer : {&queries, &doutput, &keys, &keys_t, &values_t, &dkeys, &dvalues}) take(buffer, rows, rest);
    take(&deltas, positions, rest);
    take(&scores, kTileSquare, rest);
    take(&gradients, kTileSquare, rest);
  }
  static std::int64_t size(const PackedAttention& shape) {
    const std::int64_t positions = tile_count(shape) * kTile;
    return (7 * padded(shape.D) + 1) * positions + 2 * kTileSquare;
  }

 private:
  static void take(float** buffer, std::int64_t floats, float*& rest) {
    *buffer = rest;
    rest += floats;
  }
};

/// Keys and values of the item's tiles.
inline void load_own_keys(const PackedAttention& shape, const AttentionBackward& arrays, const AttentionItem& item,
                          const PackedHeads& heads, const BackwardBuffers& at) {
  const std::int64_t width = padded(shape.D);
  for (std::int64_t tile = item.part; tile < tile_count(shape); tile += item.parts) {
    const std::int64_t count = rows_in_tile(shape, tile), first = tile * kTile, offset = first * width;
    load_rows(value_rows(shape), arrays.packed + heads.values, first, count, 1.0F, at.keys + offset);
    transpose_tile(at.keys + offset, count, width, at.values_t + offset);
    load_rows(key_rows(shape), arrays.packed + heads.keys, first, count, 1.0F, at.keys + offset);
    transpose_tile(at.keys + offset, count, width, at.keys_t + offset);
  }
}

/// Queries of head h, gradients of its output, and the product of the two outputs' rows, from the item's first tile on.
inline void load_queries(const PackedAttention& shape, const AttentionBackward& arrays, const AttentionItem& item,
                         std::int64_t h, const float* queries, const BackwardBuffers& at) {
  const std::int64_t width = padded(shape.D), text = (item.b * shape.T * shape.H + h) * shape.D;
  for (std::int64_t tile = item.part; tile < tile_count(shape); ++tile) {
    const std::int64_t count = rows_in_tile(shape, tile), first = tile * kTile;
    load_rows(query_rows(shape), queries, first, count, score_factor(shape), at.queries + first * width);
    load_rows(output_rows(shape), arrays.doutput + text, first, count, 1.0F, at.doutput + first * width);
    for (std::int64_t t = first; t < first + count; ++t) {
      const float *output = arrays.output + text + t * shape.H * shape.D, *doutput = at.doutput + t * width;
      float delta = 0.0F;
#pragma omp simd reduction(+ : delta)
      for (std::int64_t d = 0; d < shape.D; ++d) delta += output[d] * doutput[d];
      at.deltas[t] = delta;
    }
  }
}

/// Two tiles that meet. The first to give something to the gradients of keys, or of queries, overwrites them.
struct TileMeeting {
  std::int64_t query_tile, key_tile;
  bool first_of_keys, first_of_queries;
};

/// Adds what the queries of one tile and the keys of another give to the gradients of both.
inline void differentiate_tile(const PackedAttention& shape, const BackwardBuffers& at, const TileMeeting& meeting,
                               const ScoreOptions& options, const SoftmaxRows& rows, float* dqueries) {
  const auto [query_tile, key_tile, first_of_keys, first_of_queries] = meeting;
  const std::int64_t width = padded(shape.D), q = query_tile * kTile * width, k = key_tile * kTile * width;
  const TilePair pair{rows_in_tile(shape, query_tile), rows_in_tile(shape, key_tile), query_tile == key_tile};
  multiply_scores(pair, at.queries + q, at.keys_t + k, width, at.scores);
  multiply_scores(pair, at.doutput + q, at.values_t + k, width, at.gradients);
  const std::int64_t first = query_tile * kTile;
  const ScoreTile tile{pair.queries, first, key_tile * kTile};
  const SoftmaxGradients softmax{rows.largest + first, rows.inverse + first, at.deltas + first};
  for_kind_of_tile(tile, options, [&]<bool kDiagonal, bool kSloped>() {
    differentiate_rows<kDiagonal, kSloped>(at.scores, at.gradients, tile, options, softmax);
  });
  const auto add_keys = first_of_keys ? multiply_transposed_weights<false> : multiply_transposed_weights<true>;
  const auto add_queries = first_of_queries ? multiply_weights<false> : multiply_weights<true>;
  add_keys(pair, at.scores, at.doutput + q, width, at.dvalues + k);
  add_keys(pair, at.gradients, at.queries + q, width, at.dkeys + k);
  add_queries(pair, at.gradients, at.keys + k, width, dqueries + q);
}

inline void store_queries(const PackedAttention& shape, const AttentionBackward& arrays, const PackedHeads& heads,
                          std::int64_t in_group, const WeightSums& sums, float* dqueries) {
  const std::int64_t offset = heads.queries + in_group * shape.D;
  store_gradients(query_rows(shape), arrays.packed + offset, 0, shape.T, 1.0F / std::sqrt(static_cast<float>(shape.D)),
                  dqueries, arrays.dpacked + offset, sums.query);
}

inline void store_own_keys(const PackedAttention& shape, const AttentionBackward& arrays, const AttentionItem& item,
                           const PackedHeads& heads, const BackwardBuffers& at, const WeightSums& sums) {
  for (std::int64_t tile = item.part; tile < tile_count(shape); tile += item.parts) {
    const std::int64_t count = rows_in_tile(shape, tile), first = tile * kTile, offset = first * padded(shape.D);
    store_gradients(key_rows(shape), arrays.packed + heads.keys, first, count, kLn2, at.dkeys + offset,
                    arrays.dpacked + heads.keys, sums.key);
    store_gradients(value_rows(shape), arrays.packed + heads.values, first, count, 1.0F, at.dvalues + offset,
                    arrays.dpacked + heads.values, nullptr);
  }
}

inline void differentiate_item(const PackedAttention& shape, const AttentionBackward& arrays, const AttentionItem& item,
                               const WeightSums& sums, float* query_sums) {
  const std::int64_t tiles = tile_count(shape), rows = padded(shape.T) * padded(shape.D);
  const PackedHeads heads(shape, item);
  float* rest = attention_scratch(BackwardBuffers::size(shape) + rows);
  const BackwardBuffers at(shape, rest);
  load_own_keys(shape, arrays, item, heads, at);
  for (std::int64_t in_group = 0; in_group < shape.heads_a_key(); ++in_group) {
    const std::int64_t h = item.key_head * shape.heads_a_key() + in_group, row = (item.b * shape.H + h) * shape.T;
    const ScoreOptions options(shape, item.b, h);
    float* dqueries = item.parts == 1 ? rest : query_sums + in_group * rows;
    for (std::int64_t i = 0; i < item.part * kTile * padded(shape.D); ++i) dqueries[i] = 0.0F;  // see none of the keys
    load_queries(shape, arrays, item, h, arrays.packed + heads.queries + in_group * shape.D, at);
    for (std::int64_t key_tile = item.part; key_tile < tiles; key_tile += item.parts)
      for (std::int64_t query_tile = key_tile; query_tile < tiles; ++query_tile) {
        const TileMeeting meeting{query_tile, key_tile, in_group == 0 && query_tile == key_tile, key_tile == item.part};
        differentiate_tile(shape, at, meeting, options, {arrays.rows.largest + row, arrays.rows.inverse + row},
                           dqueries);
      }
    if (item.parts == 1) store_queries(shape, arrays, heads, in_group, sums, dqueries);
  }
  store_own_keys(shape, arrays, item, heads, at, sums);
}

inline void finish_item_queries(const PackedAttention& shape, const AttentionBackward& arrays,
                                const AttentionItem& item, const WeightSums& sums, float* query_sums) {
  const std::int64_t rows = padded(shape.T) * padded(shape.D), size = rows * shape.heads_a_key();
  for (std::int64_t part = 1; part < item.parts; ++part)
    for (std::int64_t i = 0; i < size; i += kLanes)
      store(query_sums + i, load(query_sums + i) + load(query_sums + part * size + i));
  for (std::int64_t in_group = 0; in_group < shape.heads_a_key(); ++in_group)
    store_queries(shape, arrays, PackedHeads(shape, item), in_group, sums, query_sums + in_group * rows);
}
