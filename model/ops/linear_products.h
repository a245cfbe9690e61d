// The three products of a linear layer y = x W^T + b on rows without gaps, through the product engine. Everything is
// float32; the matrices may be rounded to bfloat16 on their way into a product.
#pragma once

#include <cstdint>

#include "model/ops/matmul.h"
#include "model/ops/ops.h"

namespace tinylm::ops {

/// x [rows, inputs], W [outputs, inputs], b [outputs], y [rows, outputs].
struct LinearSizes {
  std::int64_t rows = 0, inputs = 0, outputs = 0;
  MatmulInputs multiplied_as = MatmulInputs::kFloat32;  // what the two matrices of each product are rounded to
};

/// For LinearSizes::multiplied_as.
inline MatmulInputs multiplied_as(Ops ops) {
  return ops == Ops::kBfloat16 ? MatmulInputs::kBfloat16 : MatmulInputs::kFloat32;
}

/// The three products as the engine takes them: x W^T, dy W, dy^T x.
MatmulShape linear_forward_shape(const LinearSizes& sizes);
MatmulShape linear_input_gradient_shape(const LinearSizes& sizes);
MatmulShape linear_weight_gradient_shape(const LinearSizes& sizes);

/// y = x W^T + b; bias null: none. `y` is overwritten.
void linear_forward(const LinearSizes& sizes, const float* x, const float* weight, const float* bias, float* y);

/// dx = dy W.
void linear_input_gradient(const LinearSizes& sizes, const float* dy, const float* weight, float* dx);

/// dW = dy^T x, or with `accumulate` dW += dy^T x.
void linear_weight_gradient(const LinearSizes& sizes, const float* dy, const float* x, float* dweight,
                            bool accumulate = false);

}  // namespace tinylm::ops
