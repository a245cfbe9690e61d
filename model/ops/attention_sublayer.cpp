#include "model/ops/attention_sublayer.h"

#include <vector>

#include "core/torch.h"
#include "model/ops/kernels/packed_attention.h"
#include "model/ops/kernels/row_norm.h"
#include "model/ops/kernels/row_slices.h"
#include "model/ops/linear_products.h"
#include "model/ops/norms.h"

namespace tinylm::ops {
namespace {

float* pointer(const torch::Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<float>() : nullptr;
}

/// Uninitialised; undefined like `tensor` itself.
torch::Tensor like(const torch::Tensor& tensor) {
  return tensor.defined() ? at::empty(tensor.sizes(), tensor.options()) : torch::Tensor();
}

/// What the forward pass works out and the backward pass needs.
struct Intermediates {
  torch::Tensor statistics;    // [2, B T]: means and scales of the norm
  torch::Tensor packed;        // [B, T, (H + 2 Hkv) D]
  torch::Tensor joined;        // [B, T, C]
  torch::Tensor softmax_rows;  // [2, B, H, T]
};

Intermediates make_intermediates(const torch::Tensor& x, const AttentionWeights& weights,
                                 const AttentionChoices& choices) {
  const std::int64_t B = x.size(0), T = x.size(1);
  return {.statistics = at::empty({2, B * T}, x.options()),
          .packed = at::empty({B, T, weights.query_key_value_weight.size(0)}, x.options()),
          .joined = like(x),
          .softmax_rows = at::empty({2, B, choices.heads, T}, x.options())};
}

/// What the kernels are told in both passes; points into the tensors it is made from.
struct Call {
  RowNorm norm;
  RowNormStatistics statistics;
  PackedAttention attention;
  SoftmaxRows softmax_rows;

  Call(const torch::Tensor& x, const AttentionWeights& weights, const AttentionChoices& choices,
       const Intermediates& between) {
    const std::int64_t B = x.size(0), T = x.size(1), C = x.size(2), rows = B * T;
    norm = {choices.norm, rows, C, kNormEpsilon, pointer(weights.norm_weight), pointer(weights.norm_bias)};
    statistics = {pointer(between.statistics), pointer(between.statistics) + rows};
    softmax_rows = {pointer(between.softmax_rows), pointer(between.softmax_rows) + rows * choices.heads};
    attention = {.B = B,
                 .T = T,
                 .H = choices.heads,
                 .Hkv = choices.kv_heads,
                 .D = C / choices.heads,
                 .query_weight = pointer(weights.query_weight),
                 .key_weight = pointer(weights.key_weight),
                 .epsilon = static_cast<float>(kNormEpsilon),
                 .cosines = pointer(choices.positions.cosines),
                 .sines = pointer(choices.positions.sines),
                 .slopes = pointer(choices.positions.slopes),
                 .dropout = choices.dropout,
                 .dropout_site = choices.weights_site};
  }
};

torch::Tensor run_forward(const torch::Tensor& x, const AttentionWeights& weights, const AttentionChoices& choices,
                          const Intermediates& between) {
  const Call call(x, weights, choices, between);
  const torch::Tensor y = like(x);  // [B, T, C]: the projection, then the result
  const torch::Tensor normed = operand_in(y, choices.ops);
  on_numbers(normed, [&](auto* rows) { row_norm_forward(call.norm, pointer(x), rows, call.statistics); });
  linear_forward(normed, weight_operand(weights.query_key_value_weight, choices.ops), weights.query_key_value_bias,
                 between.packed);
  packed_attention_forward(call.attention, pointer(between.packed), pointer(between.joined), call.softmax_rows);
  linear_forward(operand(between.joined, choices.ops), weight_operand(weights.projection_weight, choices.ops),
                 weights.projection_bias, y);
  drop_rows<float>(choices.dropout, choices.output_site, x.size(0), x.size(1) * x.size(2), pointer(y), pointer(x),
                   pointer(y));
  return y;
}

/// The gradient of a linear layer's bias, from that of its output [..., columns].
void sum_into_bias(const torch::Tensor& doutput, const torch::Tensor& dbias) {
  if (dbias.defined()) sum_rows(pointer(doutput), doutput.numel() / dbias.numel(), dbias.numel(), pointer(dbias));
}

/// Gives the gradient of x and fills those of the weights.
torch::Tensor run_backward(const torch::Tensor& x, const AttentionWeights& weights, const AttentionChoices& choices,
                           const Intermediates& between, const torch::Tensor& dy, const AttentionWeights& gradients) {
  const Call call(x, weights, choices, between);
  torch::Tensor dprojected = dy;  // [B, T, C]
  if (choices.dropout.probability > 0.0) {
    dprojected = like(dy);
    drop_rows<float>(choices.dropout, choices.output_site, x.size(0), x.size(1) * x.size(2), pointer(dy), nullptr,
                     pointer(dprojected));
  }
  const torch::Tensor dx = like(x);  // the gradient of the heads, then that of norm(x), then that of x
  {
    const torch::Tensor multiplied = operand(dprojected, choices.ops);
    linear_weight_gradient(multiplied, operand(between.joined, choices.ops), gradients.projection_weight);
    sum_into_bias(dprojected, gradients.projection_bias);
    linear_input_gradient(multiplied, weight_operand(weights.projection_weight, choices.ops), dx);
  }
  const torch::Tensor dpacked = like(between.packed);
  packed_attention_backward(call.attention, pointer(between.packed), pointer(between.joined), call.softmax_rows,
                            pointer(dx), pointer(dpacked), pointer(gradients.query_weight),
                            pointer(gradients.key_weight));

  const torch::Tensor multiplied = operand(dpacked, choices.ops), normed = operand_in(dx, choices.ops);
  on_numbers(normed, [&](auto* rows) { row_norm_again(call.norm, pointer(x), call.statistics, rows); });
  linear_weight_gradient(multiplied, normed, gradients.query_key_value_weight);
  sum_into_bias(dpacked, gradients.query_key_value_bias);
  linear_input_gradient(multiplied, weight_operand(weights.query_key_value_weight, choices.ops), dx);
  row_norm_backward(call.norm, pointer(x), call.statistics, pointer(dx), /*residual=*/pointer(dy), pointer(dx),
                    pointer(gradients.norm_weight), pointer(gradients.norm_bias));
  return dx;
}

/// Choices on their way from the forward to the backward pass of a node.
struct KeptChoices : torch::CustomClassHolder {
  explicit KeptChoices(const AttentionChoices& of) : choices(of) {}
  AttentionChoices choices;
};

struct AttentionSublayer : torch::autograd::Function<AttentionSublayer> {
  /// The list holds those of `weights` that are defined, for the graph.
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x, at::TensorList,
                               AttentionWeights& weights, const AttentionChoices& choices) {
    const Intermediates between = make_intermediates(x, weights, choices);
    torch::autograd::variable_list saved = {x, between.statistics, between.packed, between.joined,
                                            between.softmax_rows};
    for (const torch::Tensor* weight : weights.all()) saved.push_back(*weight);
    context->save_for_backward(std::move(saved));
    context->saved_data["choices"] = c10::IValue::make_capsule(c10::make_intrusive<KeptChoices>(choices));
    return run_forward(x, weights, choices, between);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list output_gradients) {
    const torch::autograd::variable_list saved = context->get_saved_variables();
    const auto kept = context->saved_data["choices"].toCapsule();
    const Intermediates between{saved[1], saved[2], saved[3], saved[4]};
    AttentionWeights weights, gradients;
    for (std::size_t i = 0; i < weights.all().size(); ++i) {
      *weights.all()[i] = saved[5 + i];
      *gradients.all()[i] = like(saved[5 + i]);
    }
    torch::autograd::variable_list result = {run_backward(saved[0], weights,
                                                          static_cast<const KeptChoices&>(*kept).choices, between,
                                                          output_gradients[0].contiguous(), gradients)};
    for (const torch::Tensor* gradient : gradients.all())
      if (gradient->defined()) result.push_back(*gradient);
    result.resize(result.size() + 2);  // weights and choices
    return result;
  }
};

}  // namespace

torch::Tensor attention_sublayer(const torch::Tensor& x, AttentionWeights weights, const AttentionChoices& choices) {
  const torch::Tensor dense = x.contiguous();
  std::vector<torch::Tensor> defined;
  for (torch::Tensor* weight : weights.all()) {
    if (!weight->defined()) continue;
    *weight = weight->contiguous();
    defined.push_back(*weight);
  }
  if (!torch::GradMode::is_enabled())
    return run_forward(dense, weights, choices, make_intermediates(dense, weights, choices));
  const at::TensorList list(defined);
  return AttentionSublayer::apply(dense, list, weights, choices);
}

}  // namespace tinylm::ops
