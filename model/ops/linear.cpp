#include "model/ops/linear.h"

#include "core/torch.h"
#include "model/ops/dispatch.h"
#include "model/ops/matmul.h"

namespace tinylm::ops {
namespace {

MatrixView rows_of(std::int64_t columns) {
  return {.row_stride = columns};
}
MatrixView columns_of(std::int64_t columns) {
  return {.row_stride = 1, .column_stride = columns};
}

/// Sizes of y = x W^T with the leading dimensions of x taken as one.
struct Sizes {
  Sizes(const torch::Tensor& x, const torch::Tensor& weight)
      : inputs(weight.size(1)), outputs(weight.size(0)), rows(inputs == 0 ? 0 : x.numel() / inputs) {}
  std::int64_t inputs, outputs, rows;
};

torch::Tensor forward_product(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
  const Sizes sizes(x, weight);
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape.back() = sizes.outputs;
  torch::Tensor y = at::empty(shape, x.options());  // [..., N]
  matmul_f32({.m = sizes.rows,
              .n = sizes.outputs,
              .k = sizes.inputs,
              .a = rows_of(sizes.inputs),
              .b = columns_of(sizes.inputs),
              .c = rows_of(sizes.outputs),
              .has_bias = bias.defined()},
             x.data_ptr<float>(), weight.data_ptr<float>(), y.data_ptr<float>(),
             bias.defined() ? bias.data_ptr<float>() : nullptr);
  return y;
}

torch::Tensor input_gradient(const torch::Tensor& dy, const torch::Tensor& x, const torch::Tensor& weight) {
  const Sizes sizes(x, weight);
  torch::Tensor dx = at::empty(x.sizes(), x.options());  // [..., K]
  matmul_f32({.m = sizes.rows,
              .n = sizes.inputs,
              .k = sizes.outputs,
              .a = rows_of(sizes.outputs),
              .b = rows_of(sizes.inputs),
              .c = rows_of(sizes.inputs)},
             dy.data_ptr<float>(), weight.data_ptr<float>(), dx.data_ptr<float>());
  return dx;
}

torch::Tensor weight_gradient(const torch::Tensor& dy, const torch::Tensor& x, const torch::Tensor& weight) {
  const Sizes sizes(x, weight);
  torch::Tensor dw = at::empty(weight.sizes(), weight.options());  // [N, K]
  matmul_f32({.m = sizes.outputs,
              .n = sizes.inputs,
              .k = sizes.rows,
              .a = columns_of(sizes.outputs),
              .b = rows_of(sizes.inputs),
              .c = rows_of(sizes.inputs)},
             dy.data_ptr<float>(), x.data_ptr<float>(), dw.data_ptr<float>());
  return dw;
}

/// One node of the autograd graph for the three products of a linear layer.
struct Linear : torch::autograd::Function<Linear> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& weight, const c10::optional<torch::Tensor>& bias) {
    context->save_for_backward({x, weight});
    context->saved_data["bias"] = bias.has_value();
    return forward_product(x, weight, bias.value_or(torch::Tensor()));
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor &x = saved[0], &weight = saved[1], dy = gradients[0].contiguous();  // dy [..., N]
    torch::autograd::variable_list result(3);
    if (context->needs_input_grad(0)) result[0] = input_gradient(dy, x, weight);
    if (context->needs_input_grad(1)) result[1] = weight_gradient(dy, x, weight);
    if (context->saved_data["bias"].toBool() && context->needs_input_grad(2))
      result[2] = dy.view({-1, dy.size(-1)}).sum(0);  // [N]
    return result;
  }
};

}  // namespace

torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias, Ops ops) {
  const bool fits = x.dim() >= 1 && weight.dim() == 2 && x.size(-1) == weight.size(1) &&
                    (!bias.defined() || bias.numel() == weight.size(0));  // libtorch explains what does not
  if (!fits || !use_fast(ops, Operation::kLinear, {x, weight, bias})) return torch::linear(x, weight, bias);
  const torch::Tensor dense_x = x.contiguous(), dense_weight = weight.contiguous();
  const torch::Tensor dense_bias = bias.defined() ? bias.contiguous() : bias;
  if (!torch::GradMode::is_enabled()) return forward_product(dense_x, dense_weight, dense_bias);
  return Linear::apply(dense_x, dense_weight,
                       dense_bias.defined() ? c10::optional<torch::Tensor>(dense_bias) : c10::nullopt);
}

}  // namespace tinylm::ops
