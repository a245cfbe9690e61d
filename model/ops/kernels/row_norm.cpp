#include "model/ops/kernels/row_norm.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/parallel.h"
#include "core/vectorised.h"
#include "model/ops/kernels/bfloat16.h"
#include "model/ops/kernels/row_slices.h"

namespace tinylm::ops {
namespace {

constexpr std::int64_t kElementsPerThread = 1 << 14;  // fewer are not worth waking another thread

std::int64_t rows_per_thread(const RowNorm& norm) {
  return std::max<std::int64_t>(1, kElementsPerThread / std::max<std::int64_t>(1, norm.C));
}

float mean_of(const float* x, std::int64_t C) {
  float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t c = 0; c < C; ++c) sum += x[c];
  return sum / static_cast<float>(C);
}

/// 1 / sqrt(mean((x - mean)^2) + epsilon).
float scale_of(const float* x, std::int64_t C, float mean, float epsilon) {
  float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t c = 0; c < C; ++c) sum += (x[c] - mean) * (x[c] - mean);
  return 1.0F / std::sqrt(sum / static_cast<float>(C) + epsilon);
}

/// One row of y.
template <class Out>
void normalise(const float* x, float mean, float scale, const float* weight, const float* bias, std::int64_t C,
               Out* y) {
  if (bias == nullptr) {
#pragma omp simd
    for (std::int64_t c = 0; c < C; ++c) put((x[c] - mean) * scale * weight[c], y[c]);
  } else {
#pragma omp simd
    for (std::int64_t c = 0; c < C; ++c) put((x[c] - mean) * scale * weight[c] + bias[c], y[c]);
  }
}

template <class Out>
void forward_rows(RowNorm norm, const float* x, RowNormStatistics statistics, Out* y, std::int64_t first,
                  std::int64_t last) {
  for (std::int64_t row = first; row < last; ++row) {
    const float* xr = x + row * norm.C;
    float mean = 0.0F;
    if (norm.kind == NormKind::kLayerNorm) statistics.means[row] = mean = mean_of(xr, norm.C);
    const float scale = statistics.scales[row] = scale_of(xr, norm.C, mean, static_cast<float>(norm.epsilon));
    normalise(xr, mean, scale, norm.weight, norm.bias, norm.C, y + row * norm.C);
  }
}

template <class Out>
void normalise_rows(RowNorm norm, const float* x, RowNormStatistics statistics, Out* y, std::int64_t first,
                    std::int64_t last) {
  for (std::int64_t row = first; row < last; ++row) {
    const float mean = norm.kind == NormKind::kLayerNorm ? statistics.means[row] : 0.0F;
    normalise(x + row * norm.C, mean, statistics.scales[row], norm.weight, norm.bias, norm.C, y + row * norm.C);
  }
}

/// What one row adds to the gradients of weight and bias, and the two means that its own gradient needs: with
/// g = dy weight and n = (x - mean) scale, mean(g) and mean(g n).
struct GradientMeans {
  float of_g, of_gn;
};
GradientMeans add_row(const float* x, const float* dy, float mean, float scale, const float* weight, std::int64_t C,
                      float* __restrict dweight, float* __restrict dbias) {
  float of_g = 0.0F, of_gn = 0.0F;
#pragma omp simd reduction(+ : of_g, of_gn)
  for (std::int64_t c = 0; c < C; ++c) {
    const float n = (x[c] - mean) * scale, g = dy[c] * weight[c];
    of_g += g;
    of_gn += g * n;
    dweight[c] += dy[c] * n;
  }
  if (dbias != nullptr) {
#pragma omp simd
    for (std::int64_t c = 0; c < C; ++c) dbias[c] += dy[c];
  }
  return {of_g / static_cast<float>(C), of_gn / static_cast<float>(C)};
}

/// Rows [first, last) of dx, and their sums added to dweight and dbias.
void differentiate_rows(RowNorm norm, const float* x, RowNormStatistics statistics, const float* dy,
                        const float* residual, float* dx, std::int64_t first, std::int64_t last, float* dweight,
                        float* dbias) {
  const std::int64_t C = norm.C;
  for (std::int64_t row = first; row < last; ++row) {
    const bool centred = norm.kind == NormKind::kLayerNorm;
    const float mean = centred ? statistics.means[row] : 0.0F, scale = statistics.scales[row];
    const float *xr = x + row * C, *dyr = dy + row * C, *rr = residual ? residual + row * C : nullptr;
    const GradientMeans means = add_row(xr, dyr, mean, scale, norm.weight, C, dweight, dbias);
    const float of_g = centred ? means.of_g : 0.0F, of_gn = means.of_gn;
    float* dxr = dx + row * C;
    if (rr == nullptr) {
#pragma omp simd
      for (std::int64_t c = 0; c < C; ++c)
        dxr[c] = scale * (dyr[c] * norm.weight[c] - of_g - (xr[c] - mean) * scale * of_gn);
    } else {
#pragma omp simd
      for (std::int64_t c = 0; c < C; ++c)
        dxr[c] = rr[c] + scale * (dyr[c] * norm.weight[c] - of_g - (xr[c] - mean) * scale * of_gn);
    }
  }
}

}  // namespace

template <class Out>
void row_norm_forward(const RowNorm& norm, const float* x, Out* y, const RowNormStatistics& statistics) {
  parallel_for(0, norm.rows, rows_per_thread(norm), [&](std::int64_t first, std::int64_t last) {
    vectorised<forward_rows<Out>>(norm, x, statistics, y, first, last);
  });
}

template <class Out>
void row_norm_again(const RowNorm& norm, const float* x, const RowNormStatistics& statistics, Out* y) {
  parallel_for(0, norm.rows, rows_per_thread(norm), [&](std::int64_t first, std::int64_t last) {
    vectorised<normalise_rows<Out>>(norm, x, statistics, y, first, last);
  });
}

template void row_norm_forward(const RowNorm&, const float*, float*, const RowNormStatistics&);
template void row_norm_forward(const RowNorm&, const float*, Bfloat16*, const RowNormStatistics&);
template void row_norm_again(const RowNorm&, const float*, const RowNormStatistics&, float*);
template void row_norm_again(const RowNorm&, const float*, const RowNormStatistics&, Bfloat16*);

void row_norm_backward(const RowNorm& norm, const float* x, const RowNormStatistics& statistics, const float* dy,
                       const float* residual, float* dx, float* dweight, float* dbias) {
  const std::int64_t columns = dbias ? 2 * norm.C : norm.C;  // sums for the weight, then for the bias
  const std::vector<float> sums =
      sum_over_rows(norm.rows, columns, rows_per_thread(norm), [&](std::int64_t first, std::int64_t last, float* sum) {
        vectorised<differentiate_rows>(norm, x, statistics, dy, residual, dx, first, last, sum,
                                       dbias ? sum + norm.C : nullptr);
      });
  if (dweight != nullptr) std::copy_n(sums.data(), norm.C, dweight);
  if (dbias != nullptr) std::copy_n(sums.data() + norm.C, norm.C, dbias);
}

}  // namespace tinylm::ops
