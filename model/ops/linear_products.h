// The three products of a linear layer y = x W^T + b on rows without gaps, float32, through the product engine.
#pragma once

#include <cstdint>

namespace tinylm::ops {

/// x [rows, inputs], W [outputs, inputs], b [outputs], y [rows, outputs].
struct LinearSizes {
  std::int64_t rows = 0, inputs = 0, outputs = 0;
};

/// y = x W^T + b; bias null: none. `y` is overwritten.
void linear_forward(const LinearSizes& sizes, const float* x, const float* weight, const float* bias, float* y);

/// dx = dy W.
void linear_input_gradient(const LinearSizes& sizes, const float* dy, const float* weight, float* dx);

/// dW = dy^T x, or with `accumulate` dW += dy^T x.
void linear_weight_gradient(const LinearSizes& sizes, const float* dy, const float* x, float* dweight,
                            bool accumulate = false);

}  // namespace tinylm::ops
