// Rows of one head between the packed tensor and the padded buffers of the tiles: norm and rotation on the way in, and
// their gradients on the way out. Included like level_vectors.h.
#pragma once

#include "model/ops/kernels/level_vectors.h"

/// What is done to the queries or the keys of a head; to values nothing.
struct HeadRows {
  std::int64_t D, stride;         // of the tensor they lie in
  const float* weight = nullptr;  // RMSNorm's, or null
  float epsilon = 0.0F;
  const float *cosines = nullptr, *sines = nullptr;  // or null
};
inline HeadRows query_rows(const PackedAttention& s) {
  return {s.D, s.packed_width(), s.query_weight, s.epsilon, s.cosines, s.sines};
}
inline HeadRows key_rows(const PackedAttention& s) {
  return {s.D, s.packed_width(), s.key_weight, s.epsilon, s.cosines, s.sines};
}
inline HeadRows value_rows(const PackedAttention& s) {
  return {.D = s.D, .stride = s.packed_width()};
}
inline HeadRows output_rows(const PackedAttention& s) {
  return {.D = s.D, .stride = s.H * s.D};
}

/// 1 / sqrt(mean(x^2) + epsilon).
inline float norm_scale(const HeadRows& head, const float* x) {
  float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t d = 0; d < head.D; ++d) sum += x[d] * x[d];
  return 1.0F / std::sqrt(sum / static_cast<float>(head.D) + head.epsilon);
}

/// Turns every pair (x[i], x[i + D/2]) by the angle of `position`, or back.
inline void rotate_row(const HeadRows& head, std::int64_t position, bool back, float* x) {
  const std::int64_t half = head.D / 2;
  const float *cosine = head.cosines + position * half, *sine = head.sines + position * half;
  const float sign = back ? -1.0F : 1.0F;
  float *first = x, *second = x + half;
#pragma omp simd
  for (std::int64_t i = 0; i < half; ++i) {
    const float a = first[i], b = second[i], s = sign * sine[i];
    first[i] = a * cosine[i] - b * s;
    second[i] = a * s + b * cosine[i];
  }
}

/// to = factor * from, D numbers.
inline void scale_row(const float* from, float factor, std::int64_t D, float* to) {
  std::int64_t d = 0;
  for (; d + kLanes <= D; d += kLanes) store(to + d, load(from + d) * factor);
  for (; d < D; ++d) to[d] = from[d] * factor;
}

/// Rows [first, first + count) of a head, whose row 0 is at `x`, times `factor`, into padded rows: [padded(count),
/// padded(D)], zeros where there is nothing.
inline void load_rows(const HeadRows& head, const float* x, std::int64_t first, std::int64_t count, float factor,
                      float* to) {
  const std::int64_t width = padded(head.D);
  for (std::int64_t row = 0; row < count; ++row, to += width) {
    const float* from = x + (first + row) * head.stride;
    scale_row(from, head.weight ? factor * norm_scale(head, from) : factor, head.D, to);
    if (head.weight) {
#pragma omp simd
      for (std::int64_t d = 0; d < head.D; ++d) to[d] *= head.weight[d];
    }
    if (head.cosines) rotate_row(head, first + row, /*back=*/false, to);
    for (std::int64_t d = head.D; d < width; ++d) to[d] = 0.0F;
  }
  for (std::int64_t i = 0; i < (padded(count) - count) * width; ++i) to[i] = 0.0F;
}

/// The gradient of what load_rows() read, into a tensor of the same layout at `dx`, from `gradients` (padded rows,
/// overwritten) times `factor`. Adds the gradient of the norm's weight to `weight_sums`.
inline void store_gradients(const HeadRows& head, const float* x, std::int64_t first, std::int64_t count, float factor,
                            float* gradients, float* dx, float* weight_sums) {
  for (std::int64_t row = 0; row < count; ++row, gradients += padded(head.D)) {
    const float* from = x + (first + row) * head.stride;
    float* to = dx + (first + row) * head.stride;
    if (head.cosines) rotate_row(head, first + row, /*back=*/true, gradients);
    scale_row(gradients, factor, head.D, to);
    if (!head.weight) continue;
    const float scale = norm_scale(head, from);
    float mean = 0.0F;  // of the gradient of the normalised row times that row
#pragma omp simd reduction(+ : mean)
    for (std::int64_t d = 0; d < head.D; ++d) {
      const float normalised = from[d] * scale;
      weight_sums[d] += to[d] * normalised;
      mean += to[d] * head.weight[d] * normalised;
    }
    mean /= static_cast<float>(head.D);
#pragma omp simd
    for (std::int64_t d = 0; d < head.D; ++d) to[d] = scale * (to[d] * head.weight[d] - from[d] * scale * mean);
  }
}

/// rows [count up to kTile, width] padded -> columns [width, kTile].
inline void transpose_tile(const float* rows, std::int64_t count, std::int64_t width, float* columns) {
  for (std::int64_t i = 0; i < padded(count); i += kLanes)
    for (std::int64_t d = 0; d < width; d += kLanes) {
      Vector square[kLanes];
#pragma GCC unroll 16
      for (int r = 0; r < kLanes; ++r) square[r] = load(rows + (i + r) * width + d);
      transpose(square);
#pragma GCC unroll 16
      for (int r = 0; r < kLanes; ++r) store(columns + (d + r) * kTile + i, square[r]);
    }
}
