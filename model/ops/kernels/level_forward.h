// The forward pass of packed attention for one item. Included like level_vectors.h.
#pragma once

#include "model/ops/kernels/level_head_rows.h"
#include "model/ops/kernels/level_products.h"
#include "model/ops/kernels/level_softmax.h"
#include "model/ops/kernels/level_vectors.h"

/// Where the parts of a packed row begin, for one text and key head.
struct PackedHeads {
  std::int64_t width, queries, keys, values;  // offsets of row 0 of the text
  PackedHeads(const PackedAttention& s, const AttentionItem& item) : width(s.packed_width()) {
    const std::int64_t text = item.b * s.T * width;
    queries = text + item.key_head * s.heads_a_key() * s.D;
    keys = text + (s.H + item.key_head) * s.D;
    values = text + (s.H + s.Hkv + item.key_head) * s.D;
  }
};

/// Rows of a tile.
inline std::int64_t rows_in_tile(const PackedAttention& shape, std::int64_t tile) {
  return smaller(kTile, shape.T - tile * kTile);
}

/// Queries are multiplied with this at the load, so that weights are powers of 2.
inline float score_factor(const PackedAttention& shape) {
  return kLog2OfE / std::sqrt(static_cast<float>(shape.D));
}

/// A tile of queries on its way through the keys.
struct QueryTile {
  float *queries, *scores, *output;  // [kTile, padded(D)], [kTile, kTile], [kTile, padded(D)]
  RunningSoftmax softmax[kTile];
};

/// Takes up one tile of keys (transposed) and values.
inline void attend_tile(QueryTile& at, const TilePair& pair, std::int64_t first_query, std::int64_t first_key,
                        const ScoreOptions& options, const float* keys, const float* values, std::int64_t width) {
  multiply_scores(pair, at.queries, keys, width, at.scores);
  float corrections[kTile];
  const ScoreTile tile{pair.queries, first_query, first_key};
  for_kind_of_tile(tile, options, [&]<bool kDiagonal, bool kSloped>() {
    soften_rows<kDiagonal, kSloped>(at.scores, tile, options, at.softmax, corrections);
  });
  for (std::int64_t i = 0; first_key > 0 && i < pair.queries; ++i)
    if (corrections[i] != 1.0F) scale_row(at.output + i * width, corrections[i], width, at.output + i * width);
  if (first_key == 0)
    multiply_weights<false>(pair, at.scores, values, width, at.output);
  else
    multiply_weights<true>(pair, at.scores, values, width, at.output);
}

/// Divides by the sums of the weights and writes the rows of head h.
inline void finish_tile(const PackedAttention& shape, const QueryTile& at, std::int64_t b, std::int64_t h,
                        std::int64_t first_query, std::int64_t queries, const AttentionForward& arrays) {
  for (std::int64_t i = 0; i < queries; ++i) {
    const std::int64_t t = first_query + i, row = (b * shape.H + h) * shape.T + t;
    const float inverse = 1.0F / lane_sum(load(at.softmax[i].sums))[0];
    arrays.rows.largest[row] = at.softmax[i].largest;
    arrays.rows.inverse[row] = inverse;
    scale_row(at.output + i * padded(shape.D), inverse, shape.D,
              arrays.output + ((b * shape.T + t) * shape.H + h) * shape.D);
  }
}

/// All keys, transposed, and values of an item: tiles of [padded(D), kTile] and [kTile, padded(D)].
inline void load_keys_and_values(const PackedAttention& shape, const float* packed, const PackedHeads& heads,
                                 float* rows, float* keys, float* values) {
  const std::int64_t width = padded(shape.D);
  for (std::int64_t tile = 0; tile < tile_count(shape); ++tile) {
    const std::int64_t count = rows_in_tile(shape, tile), first = tile * kTile;
    load_rows(key_rows(shape), packed + heads.keys, first, count, 1.0F, rows);
    transpose_tile(rows, count, width, keys + first * width);
    load_rows(value_rows(shape), packed + heads.values, first, count, 1.0F, values + first * width);
  }
}

inline void attend_item(const PackedAttention& shape, const AttentionForward& arrays, const AttentionItem& item) {
  const std::int64_t width = padded(shape.D), tiles = tile_count(shape), all_rows = tiles * kTile * width;
  const PackedHeads heads(shape, item);
  float* keys = attention_scratch(2 * all_rows + 2 * kTile * width + kTileSquare);
  float* values = keys + all_rows;
  QueryTile at;
  at.queries = values + all_rows;
  at.output = at.queries + kTile * width;
  at.scores = at.output + kTile * width;
  load_keys_and_values(shape, arrays.packed, heads, at.queries, keys, values);
  for (std::int64_t unit = item.part; unit < tiles * shape.heads_a_key(); unit += item.parts) {
    const std::int64_t tile = unit / shape.heads_a_key(), in_group = unit % shape.heads_a_key();
    const std::int64_t h = item.key_head * shape.heads_a_key() + in_group, queries = rows_in_tile(shape, tile);
    const ScoreOptions options(shape, item.b, h);
    load_rows(query_rows(shape), arrays.packed + heads.queries + in_group * shape.D, tile * kTile, queries,
              score_factor(shape), at.queries);
    for (RunningSoftmax& softmax : at.softmax) softmax = {-std::numeric_limits<float>::infinity(), {}};
    for (std::int64_t other = 0; other <= tile; ++other) {
      const TilePair pair{queries, rows_in_tile(shape, other), other == tile};
      const std::int64_t offset = other * kTile * width;
      attend_tile(at, pair, tile * kTile, other * kTile, options, keys + offset, values + offset, width);
    }
    finish_tile(shape, at, item.b, h, tile * kTile, queries, arrays);
  }
}
