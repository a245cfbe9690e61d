#include "model/ops/linear_products.h"

#include "model/ops/matmul.h"

namespace tinylm::ops {
namespace {

MatrixView rows_of(std::int64_t columns) {
  return {.row_stride = columns};
}
MatrixView columns_of(std::int64_t columns) {
  return {.row_stride = 1, .column_stride = columns};
}

}  // namespace

void linear_forward(const LinearSizes& sizes, const float* x, const float* weight, const float* bias, float* y) {
  matmul_f32({.m = sizes.rows,
              .n = sizes.outputs,
              .k = sizes.inputs,
              .a = rows_of(sizes.inputs),
              .b = columns_of(sizes.inputs),
              .c = rows_of(sizes.outputs),
              .has_bias = bias != nullptr},
             x, weight, y, bias);
}

void linear_input_gradient(const LinearSizes& sizes, const float* dy, const float* weight, float* dx) {
  matmul_f32({.m = sizes.rows,
              .n = sizes.inputs,
              .k = sizes.outputs,
              .a = rows_of(sizes.outputs),
              .b = rows_of(sizes.inputs),
              .c = rows_of(sizes.inputs)},
             dy, weight, dx);
}

void linear_weight_gradient(const LinearSizes& sizes, const float* dy, const float* x, float* dweight,
                            bool accumulate) {
  matmul_f32({.m = sizes.outputs,
              .n = sizes.inputs,
              .k = sizes.rows,
              .a = columns_of(sizes.outputs),
              .b = rows_of(sizes.inputs),
              .c = rows_of(sizes.inputs),
              .accumulate = accumulate},
             dy, x, dweight);
}

}  // namespace tinylm::ops
