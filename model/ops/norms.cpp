#include "model/ops/norms.h"

#include "core/torch.h"
#include "model/ops/dispatch.h"
#include "model/ops/kernels/row_norm.h"

namespace tinylm::ops {
namespace {

float* pointer(const torch::Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<float>() : nullptr;
}

RowNorm rows_of(NormKind kind, const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
  const std::int64_t C = weight.numel();
  return {kind, C == 0 ? 0 : x.numel() / C, C, kNormEpsilon, pointer(weight), pointer(bias)};
}

/// The fused norm as one node of the autograd graph.
struct FusedNorm : torch::autograd::Function<FusedNorm> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& weight, const c10::optional<torch::Tensor>& bias,
                               std::int64_t kind) {
    const RowNorm norm = rows_of(static_cast<NormKind>(kind), x, weight, bias.value_or(torch::Tensor()));
    const torch::Tensor y = at::empty_like(x), statistics = at::empty({2, norm.rows}, x.options());
    row_norm_forward(norm, pointer(x), pointer(y), {pointer(statistics), pointer(statistics) + norm.rows});
    context->save_for_backward({x, weight, statistics});
    context->saved_data["kind"] = kind;
    context->saved_data["bias"] = bias.has_value();
    return y;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor &x = saved[0], &weight = saved[1], dy = gradients[0].contiguous();
    const RowNorm norm = rows_of(static_cast<NormKind>(context->saved_data["kind"].toInt()), x, weight, {});
    const torch::Tensor dx = at::empty_like(x), dweight = at::empty_like(weight);
    const torch::Tensor dbias = context->saved_data["bias"].toBool() ? at::empty_like(weight) : torch::Tensor();
    row_norm_backward(norm, pointer(x), {pointer(saved[2]), pointer(saved[2]) + norm.rows}, pointer(dy), nullptr,
                      pointer(dx), pointer(dweight), pointer(dbias));
    return {dx, dweight, dbias, {}};
  }
};

}  // namespace

torch::Tensor layer_norm(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
  return torch::layer_norm(x, weight.sizes(), weight, bias, kNormEpsilon);
}

torch::Tensor rms_norm(const torch::Tensor& x, const torch::Tensor& weight) {
  const torch::Tensor mean_square = x.square().mean(-1, /*keepdim=*/true);
  return x * torch::rsqrt(mean_square + kNormEpsilon) * weight;
}

torch::Tensor norm(NormKind kind, const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                   Ops ops) {
  if (use_fast(ops, Operation::kNorm, {x, weight, bias}))
    return FusedNorm::apply(x.contiguous(), weight.contiguous(),
                            bias.defined() ? c10::optional<torch::Tensor>(bias.contiguous()) : c10::nullopt,
                            static_cast<std::int64_t>(kind));
  return kind == NormKind::kLayerNorm ? layer_norm(x, weight, bias) : rms_norm(x, weight);
}

}  // namespace tinylm::ops
