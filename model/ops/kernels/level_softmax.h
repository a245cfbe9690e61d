// What happens to the scores of a tile row by row: bias, mask, softmax, dropout. Included like level_vectors.h.
#pragma once

#include "model/ops/kernels/level_dropout.h"
#include "model/ops/kernels/level_vectors.h"

inline constexpr std::int64_t kTileVectors = kTile / kLanes;

/// What stands beside the products in the scores of one query head of one text.
struct ScoreOptions {
  float slope;  // in units of ln 2
  bool drops;
  FactorDraws draws;
  std::int64_t first_element, T;  // of this head in the text's [H, T, T]

  ScoreOptions(const PackedAttention& shape, std::int64_t b, std::int64_t h)
      : slope(shape.slopes ? shape.slopes[h] * kLog2OfE : 0.0F),
        drops(shape.dropout.probability > 0.0),
        draws(shape.dropout, shape.dropout_site, b),
        first_element(h * shape.T * shape.T),
        T(shape.T) {}
};

/// Where a tile of scores lies in the text, and which of its keys a query sees.
struct ScoreTile {
  std::int64_t queries, first_query, first_key;
  bool diagonal() const { return first_query == first_key; }
};

/// What dropout multiplies the weights of a row with, for the first `vectors` vectors of keys.
class RowFactors {
 public:
  RowFactors(const ScoreOptions& options, std::int64_t query, std::int64_t first_key, std::int64_t vectors) {
    const std::int64_t first = options.first_element + query * options.T + first_key;
    begin_ = factors_ + first % 4;
    const std::int64_t needed = first % 4 + vectors * kLanes;
    for (std::int64_t i = 0; i < needed; i += kWordsDrawn) options.draws.draw((first + i) / 4, factors_ + i);
  }
  Vector operator()(std::int64_t v) const { return load(begin_ + v * kLanes); }

 private:
  alignas(64) float factors_[kTile + kWordsDrawn];
  const float* begin_;
};

/// One row of a tile: query number `query` of the tile, `ahead` of its first key. On the diagonal it sees the keys up
/// to its own number, in the last vector not all; else all, a number of vectors that the compiler knows.
template <bool kDiagonal, bool kSloped>
struct ScoreRow {
  float *scores, slope;
  std::int64_t query, ahead;

  std::int64_t vectors() const { return kDiagonal ? query / kLanes + 1 : kTileVectors; }
  template <class Body>
  void for_each_vector(const Body& body) const {
    if constexpr (kDiagonal) {
      for (std::int64_t v = 0; v < vectors(); ++v) body(v);
    } else {
#pragma GCC unroll 4
      for (std::int64_t v = 0; v < kTileVectors; ++v) body(v);
    }
  }
  bool is_last(std::int64_t v) const {
    return kDiagonal && v == vectors() - 1;
  }
  /// Scores of vector v with their bias.
  Vector biased(std::int64_t v) const {
    const Vector s = load(scores + v * kLanes);
    return kSloped ? s + (lane_numbers() + static_cast<float>(v * kLanes - ahead)) * slope : s;
  }
  /// `weights` of the last vector with `hidden` where the query does not see the key.
  Vector seen_only(Vector weights, Vector hidden) const {
    return lane_numbers() > static_cast<float>(query % kLanes) ? hidden : weights;
  }
};

/// The softmax of a query over the tiles seen so far (Milakov & Gimelshein 2018).
struct RunningSoftmax {
  float largest;       // score
  float sums[kLanes];  // of 2^(score - largest), a lane each
};

/// Turns the scores of a row into 2^(score - largest) and takes them up into `running`. Gives what earlier weights and
/// their output must be multiplied with.
template <bool kDiagonal, bool kSloped>
inline float soften_row(const ScoreRow<kDiagonal, kSloped>& row, RunningSoftmax& running) {
  const float before = running.largest;
  Vector top = broadcast(before);
  row.for_each_vector([&](std::int64_t v) {
    Vector s = row.biased(v);
    if (row.is_last(v)) s = row.seen_only(s, top);
    top = larger(top, s);
  });
  top = largest_lane(top);
  const float largest = top[0];
  const float correction = largest == before ? 1.0F : exp2_of_nonpositive(broadcast(before) - top)[0];
  Vector sum = load(running.sums) * correction;
  row.for_each_vector([&](std::int64_t v) {
    Vector weights = exp2_of_nonpositive(row.biased(v) - top);
    if (row.is_last(v)) weights = row.seen_only(weights, Vector{});
    store(row.scores + v * kLanes, weights);
    sum += weights;
  });
  running.largest = largest;
  store(running.sums, sum);
  return correction;
}

/// soften_row() for a tile, with dropout; `corrections` [kTile].
template <bool kDiagonal, bool kSloped>
inline void soften_rows(float* scores, const ScoreTile& tile, const ScoreOptions& options, RunningSoftmax* running,
                        float* corrections) {
  const ScoreTile at = tile;  // copies, because the stores could change the originals
  const float slope = options.slope;
  const bool drops = options.drops;
  for (std::int64_t i = 0; i < at.queries; ++i) {
    const ScoreRow<kDiagonal, kSloped> row{scores + i * kTile, slope, i, at.first_query + i - at.first_key};
    corrections[i] = soften_row(row, running[i]);
    if (!drops) continue;
    const RowFactors factors(options, at.first_query + i, at.first_key, row.vectors());
    row.for_each_vector([&](std::int64_t v) {
      float* weights = row.scores + v * kLanes;
      store(weights, load(weights) * factors(v));
    });
  }
}

/// What the backward pass knows of queries: softmax, and the gradient of the head's output times that output, which is
/// the mean of the weights' gradients.
struct SoftmaxGradients {
  const float *largest, *inverse, *deltas;
};

/// From scores and the gradients of the dropped weights: the dropped weights in place of the scores, and the gradients
/// of the scores in place of those of the weights.
template <bool kDiagonal, bool kSloped>
inline void differentiate_rows(float* scores, float* gradients, const ScoreTile& tile, const ScoreOptions& options,
                               const SoftmaxGradients& softmax) {
  const ScoreTile at = tile;  // copies, because the stores could change the originals
  const SoftmaxGradients of = softmax;
  const float slope = options.slope;
  const bool drops = options.drops;
  for (std::int64_t i = 0; i < at.queries; ++i, gradients += kTile) {
    const ScoreRow<kDiagonal, kSloped> row{scores + i * kTile, slope, i, at.first_query + i - at.first_key};
    const float largest = of.largest[i], inverse = of.inverse[i], delta = of.deltas[i];
    const auto walk = [&](const auto& factor) {
      row.for_each_vector([&](std::int64_t v) {
        Vector weights = exp2_of_nonpositive(row.biased(v) - largest) * inverse;
        if (row.is_last(v)) weights = row.seen_only(weights, Vector{});
        float* gradient = gradients + v * kLanes;
        store(row.scores + v * kLanes, weights * factor(v));
        store(gradient, weights * (load(gradient) * factor(v) - delta));
      });
    };
    if (drops)
      walk(RowFactors(options, at.first_query + i, at.first_key, row.vectors()));
    else
      walk([](std::int64_t) { return 1.0F; });
  }
}

/// Calls body.operator()<diagonal, sloped>() for what a tile is.
template <class Body>
inline void for_kind_of_tile(const ScoreTile& tile, const ScoreOptions& options, const Body& body) {
  if (tile.diagonal())
    options.slope == 0.0F ? body.template operator()<true, false>() : body.template operator()<true, true>();
  else
    options.slope == 0.0F ? body.template operator()<false, false>() : body.template operator()<false, true>();
}
