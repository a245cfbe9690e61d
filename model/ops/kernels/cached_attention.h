// Attention of new tokens over a key/value cache, one key/value head at a time: everything between the projection to
// queries, keys and values and the projection back.
#pragma once

#include <cstdint>

#include "model/ops/kernels/lanes.h"

namespace tinylm::ops {

/// One key/value head of one text and the G query heads that share it, for `tokens` new tokens at positions first, ...
/// float32; strides in elements. The cache is as model/kv_cache.h lays it out.
struct CachedAttention {
  std::int64_t tokens = 0, first = 0, G = 1, D = 0;
  float* q = nullptr;  // [tokens, G, D]; normalised and rotated in place, as k is
  float* k = nullptr;  // [tokens, D]
  const float* v = nullptr;
  std::int64_t token_stride = 0;      // of the three: from one token to the next
  float* keys = nullptr;              // [whole_lanes(capacity) / kLanes, D, kLanes]; the new ones are stored
  float* values = nullptr;            // [capacity, whole_lanes(D)]; numbers that were never stored are finite
  std::int64_t keys_ahead = 0;        // how far behind `keys` and `values` those lie that the thread needs next,
  std::int64_t values_ahead = 0;      // which it fetches from slow memory meanwhile
  const float* query_norm = nullptr;  // RMSNorm weights [D], or null
  const float* key_norm = nullptr;
  float epsilon = 0.0F;            // of the norms
  const float* cosines = nullptr;  // [context, D / 2] of rotary positions, or null
  const float* sines = nullptr;
  const float* slopes = nullptr;  // [G]: a key n tokens back gets a score lower by n * slope; or null
  float scale = 1.0F;             // of the dot products
  float* scores = nullptr;        // room for [whole_lanes(capacity)]
  float* output = nullptr;        // [tokens, G, D]
  std::int64_t output_stride = 0;
};

/// Each token sees the stored ones, the new ones before it and itself. In the calling thread.
void cached_attention(const CachedAttention& attention);

}  // namespace tinylm::ops
