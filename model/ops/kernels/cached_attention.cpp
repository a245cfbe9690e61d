#include "model/ops/kernels/cached_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/vectorised.h"

namespace tinylm::ops {
namespace {

/// As ops::rms_norm, in place.
void normalise(float* x, std::int64_t D, const float* weight, float epsilon) {
  float sum = 0.0F;
  for (std::int64_t d = 0; d < D; ++d) sum += x[d] * x[d];
  const float scale = 1.0F / std::sqrt(sum / static_cast<float>(D) + epsilon);
  for (std::int64_t d = 0; d < D; ++d) x[d] = x[d] * scale * weight[d];
}

/// As rotary positions (model/positions/rope.cpp), in place.
void rotate(float* x, std::int64_t half, const float* cosines, const float* sines) {
  for (std::int64_t d = 0; d < half; ++d) {
    const float first = x[d], second = x[half + d];
    x[d] = first * cosines[d] - second * sines[d];
    x[half + d] = first * sines[d] + second * cosines[d];
  }
}

void prepare(const CachedAttention& a, float* x, const float* norm, std::int64_t position) {
  if (norm != nullptr) normalise(x, a.D, norm, a.epsilon);
  const std::int64_t half = a.D / 2;
  if (a.cosines != nullptr) rotate(x, half, a.cosines + position * half, a.sines + position * half);
}

void store_token(const CachedAttention& a, const float* k, const float* v, std::int64_t position) {
  float* key = a.keys + position / kLanes * a.D * kLanes + position % kLanes;
  for (std::int64_t d = 0; d < a.D; ++d) key[d * kLanes] = k[d];
  std::copy(v, v + a.D, a.values + position * whole_lanes(a.D));
}

/// Fetches into the second cache what lies `ahead` numbers behind `from`.
template <bool kAhead>
void fetch(const float* from, std::int64_t ahead) {
  if constexpr (kAhead) __builtin_prefetch(from + ahead, 0, 2);
}

/// scores[t] = q . key t for kBlocks * kLanes keys from `first` on.
template <int kBlocks, bool kAhead>
void dot_products(const CachedAttention& a, const float* q, std::int64_t first) {
  Lanes sums[kBlocks];
  for (int i = 0; i < kBlocks; ++i) sums[i] = Lanes{};
  const float* keys = a.keys + first * a.D;
  for (std::int64_t d = 0; d < a.D; ++d) {
    for (int i = 0; i < kBlocks; ++i) {
      Lanes key;
      load(keys + (i * a.D + d) * kLanes, key);
      fetch<kAhead>(keys + (i * a.D + d) * kLanes, a.keys_ahead);
      sums[i] += q[d] * key;
    }
  }
  for (int i = 0; i < kBlocks; ++i) store(sums[i], a.scores + first + i * kLanes);
}

/// Scores of the keys 0 .. count - 1, those up to a whole Lanes minus infinity. Gives the largest.
template <bool kAhead>
float fill_scores(const CachedAttention& a, const float* q, std::int64_t count, float slope) {
  constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
  const std::int64_t end = whole_lanes(count);
  std::int64_t t = 0;
  for (; t + 4 * kLanes <= end; t += 4 * kLanes) dot_products<4, kAhead>(a, q, t);
  if (t + 2 * kLanes <= end) {
    dot_products<2, kAhead>(a, q, t);
    t += 2 * kLanes;
  }
  if (t < end) dot_products<1, kAhead>(a, q, t);
  const Lanes places = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  Lanes largest = Lanes{} + kMinusInfinity;
  for (t = 0; t < end; t += kLanes) {
    const Lanes back = static_cast<float>(count - 1 - t) - places;  // how many tokens back; below 0: none
    Lanes score;
    load(a.scores + t, score);
    score = score * a.scale - back * slope;
    score = back < 0.0F ? Lanes{} + kMinusInfinity : score;
    largest = score > largest ? score : largest;
    store(score, a.scores + t);
  }
  return largest_of(largest);
}

/// scores = e^(scores - largest) for whole Lanes; gives their sum.
float exponentiate_scores(float* scores, std::int64_t count, float largest) {
  Lanes sum = Lanes{};
  for (std::int64_t t = 0; t < count; t += kLanes) {
    Lanes weight;
    load(scores + t, weight);
    weight -= largest;
    exponentiate(weight);
    sum += weight;
    store(weight, scores + t);
  }
  return sum_of(sum);
}

/// output[d] = factor * sum over t of scores[t] * value t, for kBlocks * kLanes numbers from `first` on.
template <int kBlocks, bool kAhead>
void weighted_sum(const CachedAttention& a, std::int64_t count, float factor, std::int64_t first, float* output) {
  const std::int64_t stride = whole_lanes(a.D);
  Lanes even[kBlocks], odd[kBlocks], value;
  for (int i = 0; i < kBlocks; ++i) even[i] = odd[i] = Lanes{};
  std::int64_t t = 0;
  for (; t + 2 <= count; t += 2) {
    const float* values = a.values + t * stride + first;
    for (int i = 0; i < kBlocks; ++i) {
      fetch<kAhead>(values + i * kLanes, a.values_ahead);
      fetch<kAhead>(values + stride + i * kLanes, a.values_ahead);
      load(values + i * kLanes, value);
      even[i] += a.scores[t] * value;
      load(values + stride + i * kLanes, value);
      odd[i] += a.scores[t + 1] * value;
    }
  }
  for (int i = 0; i < kBlocks; ++i) {
    if (t < count) {
      load(a.values + t * stride + first + i * kLanes, value);
      even[i] += a.scores[t] * value;
    }
    const Lanes result = (even[i] + odd[i]) * factor;
    const std::int64_t place = first + i * kLanes;
    if (place + kLanes <= a.D)
      store(result, output + place);
    else
      store_some(result, output + place, a.D - place);
  }
}

template <bool kAhead>
void attend(const CachedAttention& a, const float* q, std::int64_t count, float slope, float* output) {
  const float largest = fill_scores<kAhead>(a, q, count, slope);
  const float factor = 1.0F / exponentiate_scores(a.scores, whole_lanes(count), largest);
  const std::int64_t end = whole_lanes(a.D);
  std::int64_t d = 0;
  for (; d + 4 * kLanes <= end; d += 4 * kLanes) weighted_sum<4, kAhead>(a, count, factor, d, output);
  if (d + 2 * kLanes <= end) {
    weighted_sum<2, kAhead>(a, count, factor, d, output);
    d += 2 * kLanes;
  }
  if (d < end) weighted_sum<1, kAhead>(a, count, factor, d, output);
}

template <bool kAhead>
void attend_all(CachedAttention a) {
  for (std::int64_t i = 0; i < a.tokens; ++i) {
    const std::int64_t position = a.first + i;
    float *q = a.q + i * a.token_stride, *k = a.k + i * a.token_stride;
    prepare(a, k, a.key_norm, position);
    store_token(a, k, a.v + i * a.token_stride, position);
    for (std::int64_t g = 0; g < a.G; ++g) {
      prepare(a, q + g * a.D, a.query_norm, position);
      attend<kAhead>(a, q + g * a.D, position + 1, a.slopes ? a.slopes[g] : 0.0F,
                     a.output + i * a.output_stride + g * a.D);
    }
  }
}

}  // namespace

void cached_attention(const CachedAttention& attention) {
  // Of several tokens only the first would find anything to fetch.
  if (attention.tokens == 1) return vectorised<attend_all<true>>(attention);
  vectorised<attend_all<false>>(attention);
}

}  // namespace tinylm::ops
