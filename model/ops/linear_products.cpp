#include "model/ops/linear_products.h"

#include <vector>

#include "model/ops/kernels/bfloat16.h"

namespace tinylm::ops {
namespace {

MatrixView rows_of(std::int64_t columns) {
  return {.row_stride = columns};
}
MatrixView columns_of(std::int64_t columns) {
  return {.row_stride = 1, .column_stride = columns};
}

/// Rounded copies of a product's matrices, in buffers of this thread that only grow.
struct RoundedMatrices {
  std::vector<std::uint16_t> a, b;
  static const std::uint16_t* round(const float* from, std::int64_t count, std::vector<std::uint16_t>& to) {
    if (static_cast<std::int64_t>(to.size()) < count) to.resize(static_cast<std::size_t>(count));
    round_to_bfloat16(from, count, to.data());
    return to.data();
  }
};

void multiply(MatmulInputs multiplied_as, const MatmulShape& shape, const float* a, const float* b, float* c,
              const float* bias = nullptr) {
  if (multiplied_as == MatmulInputs::kFloat32) return matmul_f32(shape, a, b, c, bias);
  thread_local RoundedMatrices rounded;
  const std::uint16_t* const rounded_a = RoundedMatrices::round(a, shape.m * shape.k, rounded.a);
  const std::uint16_t* const rounded_b = RoundedMatrices::round(b, shape.k * shape.n, rounded.b);
  matmul_bf16(shape, rounded_a, rounded_b, c, bias);
}

}  // namespace

MatmulShape linear_forward_shape(const LinearSizes& sizes) {
  return {.m = sizes.rows,
          .n = sizes.outputs,
          .k = sizes.inputs,
          .a = rows_of(sizes.inputs),
          .b = columns_of(sizes.inputs),
          .c = rows_of(sizes.outputs)};
}

MatmulShape linear_input_gradient_shape(const LinearSizes& sizes) {
  return {.m = sizes.rows,
          .n = sizes.inputs,
          .k = sizes.outputs,
          .a = rows_of(sizes.outputs),
          .b = rows_of(sizes.inputs),
          .c = rows_of(sizes.inputs)};
}

MatmulShape linear_weight_gradient_shape(const LinearSizes& sizes) {
  return {.m = sizes.outputs,
          .n = sizes.inputs,
          .k = sizes.rows,
          .a = columns_of(sizes.outputs),
          .b = rows_of(sizes.inputs),
          .c = rows_of(sizes.inputs)};
}

void linear_forward(const LinearSizes& sizes, const float* x, const float* weight, const float* bias, float* y) {
  MatmulShape shape = linear_forward_shape(sizes);
  shape.has_bias = bias != nullptr;
  multiply(sizes.multiplied_as, shape, x, weight, y, bias);
}

void linear_input_gradient(const LinearSizes& sizes, const float* dy, const float* weight, float* dx) {
  multiply(sizes.multiplied_as, linear_input_gradient_shape(sizes), dy, weight, dx);
}

void linear_weight_gradient(const LinearSizes& sizes, const float* dy, const float* x, float* dweight,
                            bool accumulate) {
  MatmulShape shape = linear_weight_gradient_shape(sizes);
  shape.accumulate = accumulate;
  multiply(sizes.multiplied_as, shape, dy, x, dweight);
}

}  // namespace tinylm::ops
