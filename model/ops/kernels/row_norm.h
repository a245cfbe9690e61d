// LayerNorm and RMSNorm of float32 rows and their gradients. Where a product in bfloat16 reads the result, the rows are
// rounded as they are written: Out is float or Bfloat16. Pointers and sizes only; ops/norms.h has the definitions.
#pragma once

#include <cstdint>

#include "model/config.h"

namespace tinylm::ops {

/// `rows` rows of C numbers without gaps.
struct RowNorm {
  NormKind kind = NormKind::kLayerNorm;
  std::int64_t rows = 0, C = 0;
  double epsilon = 0.0;           // added to the variance or mean square
  const float* weight = nullptr;  // [C]
  const float* bias = nullptr;    // [C], or null: none
};

/// What the backward pass needs beside x.
struct RowNormStatistics {
  float* means = nullptr;   // [rows]; RMSNorm: not touched, may be null
  float* scales = nullptr;  // [rows], 1 / sqrt(variance or mean square + epsilon)
};

/// y = (x - mean) * scale * weight + bias (RMSNorm: mean = 0) and the statistics. y may be x.
template <class Out>
void row_norm_forward(const RowNorm& norm, const float* x, Out* y, const RowNormStatistics& statistics);

/// The y of row_norm_forward again, bit for bit, from x and its statistics: cheaper than keeping it.
template <class Out>
void row_norm_again(const RowNorm& norm, const float* x, const RowNormStatistics& statistics, Out* y);

/// Gradients from dy. dx = residual + what goes through the norm; residual [rows, C], or null: nothing is added; dx may
/// be dy or residual. dweight [C] and dbias [C] (null: not wanted) are overwritten. Rows are summed in slices fixed by
/// `rows` alone, so results do not depend on the number of threads.
void row_norm_backward(const RowNorm& norm, const float* x, const RowNormStatistics& statistics, const float* dy,
                       const float* residual, float* dx, float* dweight, float* dbias);

}  // namespace tinylm::ops
