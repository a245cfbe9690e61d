#include "model/ops/linear_products.h"

#include "model/ops/weight_copies.h"

namespace tinylm::ops {
namespace {

MatrixView rows_of(std::int64_t columns) {
  return {.row_stride = columns};
}
MatrixView columns_of(std::int64_t columns) {
  return {.row_stride = 1, .column_stride = columns};
}

/// `wide` [rows, outputs], like y, and the weight's sizes [outputs, inputs].
LinearSizes sizes_of(const torch::Tensor& wide, const torch::Tensor& weight) {
  const std::int64_t outputs = weight.size(0);
  return {.rows = outputs == 0 ? 0 : wide.numel() / outputs, .inputs = weight.size(1), .outputs = outputs};
}

void multiply(const MatmulShape& shape, const torch::Tensor& a, const torch::Tensor& b, const torch::Tensor& c,
              const float* bias = nullptr) {
  if (a.scalar_type() == torch::kBFloat16) {
    matmul_bf16(shape, static_cast<const Bfloat16*>(a.data_ptr()), static_cast<const Bfloat16*>(b.data_ptr()),
                c.data_ptr<float>(), bias);
  } else {
    matmul_f32(shape, a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), bias);
  }
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

torch::Tensor empty_operand(at::IntArrayRef sizes, Ops ops) {
  return at::empty(sizes, at::dtype(ops == Ops::kBfloat16 ? torch::kBFloat16 : torch::kFloat32));
}

torch::Tensor operand_in(const torch::Tensor& spare, Ops ops) {
  return ops == Ops::kBfloat16 ? empty_operand(spare.sizes(), ops) : spare;
}

torch::Tensor operand(const torch::Tensor& x, Ops ops) {
  return ops == Ops::kBfloat16 ? rounded(x) : x;
}

torch::Tensor weight_operand(const torch::Tensor& weight, Ops ops) {
  return ops == Ops::kBfloat16 ? rounded_weight(weight) : weight;
}

void linear_forward(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                    const torch::Tensor& y) {
  MatmulShape shape = linear_forward_shape(sizes_of(y, weight));
  shape.has_bias = bias.defined();
  multiply(shape, x, weight, y, bias.defined() ? bias.data_ptr<float>() : nullptr);
}

void linear_input_gradient(const torch::Tensor& dy, const torch::Tensor& weight, const torch::Tensor& dx) {
  multiply(linear_input_gradient_shape(sizes_of(dy, weight)), dy, weight, dx);
}

void linear_weight_gradient(const torch::Tensor& dy, const torch::Tensor& x, const torch::Tensor& dweight,
                            bool accumulate) {
  MatmulShape shape = linear_weight_gradient_shape(sizes_of(dy, dweight));
  shape.accumulate = accumulate;
  multiply(shape, dy, x, dweight);
}

}  // namespace tinylm::ops
