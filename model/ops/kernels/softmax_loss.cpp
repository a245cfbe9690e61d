#include "model/ops/kernels/softmax_loss.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/vector_math.h"
#include "core/vectorised.h"

namespace tinylm::ops {
namespace {

float largest(const float* x, std::int64_t V) {
  float most = x[0];
#pragma omp simd reduction(max : most)
  for (std::int64_t v = 0; v < V; ++v) most = std::max(most, x[v]);
  return most;
}

/// Sum of exp(x - shift); with `keep` the terms take the place of x.
template <bool keep>
float sum_of_exponentials(float* x, std::int64_t V, float shift) {
  float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t v = 0; v < V; ++v) {
    const float term = exponential(x[v] - shift);
    if constexpr (keep) x[v] = term;
    sum += term;
  }
  return sum;
}

float row_loss(float* x, std::int64_t V, std::int64_t target, float gradient_scale) {
  const float shift = largest(x, V), of_target = x[target] - shift;
  if (gradient_scale == 0.0F) return std::log(sum_of_exponentials<false>(x, V, shift)) - of_target;
  const float sum = sum_of_exponentials<true>(x, V, shift), factor = gradient_scale / sum;
#pragma omp simd
  for (std::int64_t v = 0; v < V; ++v) x[v] *= factor;
  x[target] -= gradient_scale;
  return std::log(sum) - of_target;
}

void loss_rows(LossRows sizes, float* logits, float gradient_scale, float* losses, std::int64_t first,
               std::int64_t last) {
  for (std::int64_t row = first; row < last; ++row) {
    float* x = logits + row * sizes.V;
    const std::int64_t target = sizes.targets[row];
    losses[row] = target == sizes.ignored ? 0.0F : row_loss(x, sizes.V, target, gradient_scale);
    if (target == sizes.ignored && gradient_scale != 0.0F) std::fill_n(x, sizes.V, 0.0F);
  }
}

}  // namespace

void softmax_loss(const LossRows& sizes, float* logits, float gradient_scale, float* losses) {
  constexpr std::int64_t kElementsPerThread = 1 << 13;
  const std::int64_t grain = std::max<std::int64_t>(1, kElementsPerThread / std::max<std::int64_t>(1, sizes.V));
  parallel_for(0, sizes.rows, grain, [&](std::int64_t first, std::int64_t last) {
    vectorised<loss_rows>(sizes, logits, gradient_scale, losses, first, last);
  });
}

}  // namespace tinylm::ops
