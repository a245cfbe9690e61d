#include "model/ops/linear.h"

#include "core/torch.h"
#include "model/ops/dispatch.h"
#include "model/ops/linear_products.h"

namespace tinylm::ops {
namespace {

torch::Tensor forward_product(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias, Ops ops) {
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape.back() = weight.size(0);
  torch::Tensor y = at::empty(shape, x.options());  // [..., N]
  linear_forward(operand(x, ops), weight_operand(weight, ops), bias, y);
  return y;
}

/// One node of the autograd graph for the three products of a linear layer.
struct Linear : torch::autograd::Function<Linear> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& weight, const c10::optional<torch::Tensor>& bias,
                               bool in_bfloat16) {
    context->save_for_backward({x, weight});
    context->saved_data["bias"] = bias.has_value();
    context->saved_data["bfloat16"] = in_bfloat16;
    return forward_product(x, weight, bias.value_or(torch::Tensor()), in_bfloat16 ? Ops::kBfloat16 : Ops::kAuto);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor &x = saved[0], &weight = saved[1], dy = gradients[0].contiguous();  // dy [..., N]
    const Ops ops = context->saved_data["bfloat16"].toBool() ? Ops::kBfloat16 : Ops::kAuto;
    const torch::Tensor multiplied = operand(dy, ops);
    torch::autograd::variable_list result(4);
    if (context->needs_input_grad(0)) {
      result[0] = at::empty(x.sizes(), x.options());  // [..., K]
      linear_input_gradient(multiplied, weight_operand(weight, ops), result[0]);
    }
    if (context->needs_input_grad(1)) {
      result[1] = at::empty(weight.sizes(), weight.options());  // [N, K]
      linear_weight_gradient(multiplied, operand(x, ops), result[1]);
    }
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
  if (!torch::GradMode::is_enabled()) return forward_product(dense_x, dense_weight, dense_bias, Ops::kAuto);
  return Linear::apply(dense_x, dense_weight,
                       dense_bias.defined() ? c10::optional<torch::Tensor>(dense_bias) : c10::nullopt,
                       ops == Ops::kBfloat16);
}

}  // namespace tinylm::ops
