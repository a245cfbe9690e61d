// The three products of a linear layer y = x W^T + b, through the product engine. What they multiply are tensors of
// float32, or of bfloat16 rounded from it once for all products that read them; results are float32.
#pragma once

#include <cstdint>
#include <memory>

#include "core/torch.h"
#include "model/ops/kernels/bfloat16.h"
#include "model/ops/matmul.h"
#include "model/ops/ops.h"
#include "model/ops/weight_copies.h"

namespace tinylm::ops {

/// x [rows, inputs], W [outputs, inputs], b [outputs], y [rows, outputs].
struct LinearSizes {
  std::int64_t rows = 0, inputs = 0, outputs = 0;
};

/// The three products as the engine takes them: x W^T, dy W, dy^T x.
MatmulShape linear_forward_shape(const LinearSizes& sizes);
MatmulShape linear_input_gradient_shape(const LinearSizes& sizes);
MatmulShape linear_weight_gradient_shape(const LinearSizes& sizes);

/// An uninitialised tensor for what a product will read: bfloat16 with Ops::kBfloat16, else float32.
torch::Tensor empty_operand(at::IntArrayRef sizes, Ops ops);
/// The same of the sizes of `spare`, float32, whose contents are no longer needed: spare itself where it fits.
torch::Tensor operand_in(const torch::Tensor& spare, Ops ops);
/// `x` float32, contiguous, for a product to read: itself, or with Ops::kBfloat16 a rounded copy.
torch::Tensor operand(const torch::Tensor& x, Ops ops);

/// How products read the weights of linear layers.
enum class WeightLayout {
  kPlain,
  kPacked  // bfloat16 in oneDNN's own layouts, one for the forward product and one for the input gradient
};
/// kPacked with AMX, whose products would rearrange a plain weight each time. Elsewhere packing a weight once a step
/// costs what its products gain by it.
WeightLayout weight_layout();

/// W [outputs, inputs] as products read it.
struct WeightOperand {
  torch::Tensor plain = {};                           // float32; undefined when rounded
  std::shared_ptr<const RoundedWeight> rounded = {};  // null: not rounded
  WeightLayout layout = WeightLayout::kPlain;         // of what is rounded
};
/// `weight` float32, contiguous, as the products of `ops` read it. A rounded copy is kept and made again only when the
/// weight has another version (Tensor::_version()): once a step of the optimizer, for the forward and the backward
/// pass.
WeightOperand weight_operand(const torch::Tensor& weight, Ops ops, WeightLayout layout = weight_layout());

/// body(pointer to the numbers of `operand`), a float* or a Bfloat16*.
template <class Body>
void on_numbers(const torch::Tensor& operand, const Body& body) {
  if (operand.scalar_type() == torch::kBFloat16) {
    body(static_cast<Bfloat16*>(operand.data_ptr()));
  } else {
    body(operand.data_ptr<float>());
  }
}

// Leading dimensions of x and y count as one. Everything is contiguous; the two operands are of one type.

/// y = x W^T + b; b undefined: none. `y` is overwritten.
void linear_forward(const torch::Tensor& x, const WeightOperand& weight, const torch::Tensor& bias,
                    const torch::Tensor& y);
/// dx = dy W.
void linear_input_gradient(const torch::Tensor& dy, const WeightOperand& weight, const torch::Tensor& dx);
/// dW = dy^T x, or with `accumulate` dW += dy^T x.
void linear_weight_gradient(const torch::Tensor& dy, const torch::Tensor& x, const torch::Tensor& dweight,
                            bool accumulate = false);

}  // namespace tinylm::ops
