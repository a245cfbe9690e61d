#include "model/ops/linear_products.h"

namespace tinylm::ops {
namespace {

MatrixView rows_of(std::int64_t columns) {
  return {.row_stride = columns};
}
MatrixView columns_of(std::int64_t columns) {
  return {.row_stride = 1, .column_stride = columns};
}

/// `wide` [rows, outputs], like y, and the weight [outputs, inputs].
LinearSizes sizes_of(const torch::Tensor& wide, const torch::Tensor& weight) {
  const std::int64_t outputs = weight.size(0);
  return {.rows = outputs == 0 ? 0 : wide.numel() / outputs, .inputs = weight.size(1), .outputs = outputs};
}

const torch::Tensor& numbers(const WeightOperand& weight) {
  return weight.rounded ? weight.rounded->numbers() : weight.plain;
}

const Bfloat16* halves(const torch::Tensor& operand) {
  return static_cast<const Bfloat16*>(operand.data_ptr());
}

void multiply(const MatmulShape& shape, const torch::Tensor& a, const torch::Tensor& b, const torch::Tensor& c,
              const float* bias = nullptr) {
  if (a.scalar_type() == torch::kBFloat16) {
    matmul_bf16(shape, halves(a), halves(b), c.data_ptr<float>(), bias);
  } else {
    matmul_f32(shape, a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), bias);
  }
}

void multiply(const MatmulShape& shape, const torch::Tensor& a, const WeightOperand& weight, RoundedWeight::Use use,
              const torch::Tensor& c, const float* bias = nullptr) {
  const bool empty = shape.m * shape.n * shape.k == 0;
  if (weight.rounded && weight.layout == WeightLayout::kPacked && !empty) {
    matmul_bf16(shape, halves(a), weight.rounded->packed(shape, use), c.data_ptr<float>(), bias);
  } else {
    multiply(shape, a, numbers(weight), c, bias);
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

WeightLayout weight_layout() {
  static const bool has_amx = matmul_instructions().amx_bf16;
  return has_amx ? WeightLayout::kPacked : WeightLayout::kPlain;
}

WeightOperand weight_operand(const torch::Tensor& weight, Ops ops, WeightLayout layout) {
  if (ops != Ops::kBfloat16) return {.plain = weight};
  return {.rounded = rounded_weight(weight), .layout = layout};
}

void linear_forward(const torch::Tensor& x, const WeightOperand& weight, const torch::Tensor& bias,
                    const torch::Tensor& y) {
  MatmulShape shape = linear_forward_shape(sizes_of(y, numbers(weight)));
  shape.has_bias = bias.defined();
  multiply(shape, x, weight, RoundedWeight::Use::kForward, y, bias.defined() ? bias.data_ptr<float>() : nullptr);
}

void linear_input_gradient(const torch::Tensor& dy, const WeightOperand& weight, const torch::Tensor& dx) {
  multiply(linear_input_gradient_shape(sizes_of(dy, numbers(weight))), dy, weight, RoundedWeight::Use::kInputGradient,
           dx);
}

void linear_weight_gradient(const torch::Tensor& dy, const torch::Tensor& x, const torch::Tensor& dweight,
                            bool accumulate) {
  MatmulShape shape = linear_weight_gradient_shape(sizes_of(dy, dweight));
  shape.accumulate = accumulate;
  multiply(shape, dy, x, dweight);
}

}  // namespace tinylm::ops
