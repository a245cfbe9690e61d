#include "model/ops/product.h"

#include "core/torch.h"
#include "model/ops/dispatch.h"
#include "model/ops/multiply.h"

namespace tinylm::ops {
namespace {

// With fewer rows than this and no gradient asked for, text is being generated: the sizes change with every token, and
// making a primitive for each costs more than the product.
constexpr std::int64_t kFewRows = 8;

/// scale * a b, in the memory order of `like`, or contiguous when like's last dimension is not.
torch::Tensor ordered_product(const Operand& a, const Operand& b, double scale, const torch::Tensor& like) {
  std::vector<std::int64_t> shape = a.tensor.sizes().vec();
  shape.end()[-2] = a.tensor.size(a.exchanged ? -1 : -2);
  shape.end()[-1] = b.tensor.size(b.exchanged ? -2 : -1);
  const bool keep_order = like.dim() <= 4 && like.stride(-1) == 1;
  const torch::Tensor c = keep_order ? empty_ordered_like(shape, like) : at::empty(shape, like.options());
  multiply(a, b, c, scale);
  return c;
}

struct Product : torch::autograd::Function<Product> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& a,
                               const torch::Tensor& b, double scale) {
    context->save_for_backward({a, b});
    context->saved_data["scale"] = scale;
    return ordered_product(a, b, scale, b);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor &a = saved[0], &b = saved[1], &dc = gradients[0];  // dc [..., m, n]
    const double scale = context->saved_data["scale"].toDouble();
    torch::autograd::variable_list result(3);
    if (context->needs_input_grad(0)) result[0] = ordered_product(dc, transposed(b), scale, a);  // [..., m, k]
    if (context->needs_input_grad(1)) {
      const bool by_columns = b.stride(-1) != 1 && b.stride(-2) == 1;  // then so is its gradient
      result[1] = by_columns ? ordered_product(transposed(dc), a, scale, b.transpose(-2, -1)).transpose(-2, -1)
                             : ordered_product(transposed(a), dc, scale, b);  // [..., k, n]
    }
    return result;
  }
};

bool engine_takes(const torch::Tensor& a, const torch::Tensor& b, Ops ops) {
  if (!use_fast(ops, Operation::kProduct, {a, b})) return false;
  if (a.dim() < 2 || a.dim() != b.dim() || a.size(-1) != b.size(-2)) return false;
  if (a.sizes().slice(0, a.dim() - 2) != b.sizes().slice(0, b.dim() - 2)) return false;
  return torch::GradMode::is_enabled() || a.size(-2) >= kFewRows;
}

}  // namespace

torch::Tensor product(const torch::Tensor& a, const torch::Tensor& b, double scale, Ops ops) {
  if (engine_takes(a, b, ops))
    return torch::GradMode::is_enabled() ? Product::apply(a, b, scale) : ordered_product(a, b, scale, b);
  const torch::Tensor c = torch::matmul(a, b);
  return scale == 1.0 ? c : c * scale;
}

}  // namespace tinylm::ops
