#include "model/ops/feed_forward.h"

#include "model/ops/activations.h"
#include "model/ops/dispatch.h"
#include "model/ops/kernels/activation.h"
#include "model/ops/kernels/row_norm.h"
#include "model/ops/kernels/row_slices.h"
#include "model/ops/linear_products.h"
#include "model/ops/norms.h"

namespace tinylm::ops {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

float* pointer(const Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<float>() : nullptr;
}

Tensor empty_like_optional(const Tensor& tensor) {
  return tensor.defined() ? at::empty_like(tensor) : tensor;
}

/// What one call works with, forward and backward. `normed`, `hidden` and so on are rows of B * T tokens.
struct Sublayer {
  FeedForwardWeights weights;
  DropoutPlan dropout;
  std::int64_t site = 0;
  std::int64_t samples = 0, rows = 0, C = 0, F = 0;
  std::int64_t hidden_columns = 0;  // of the expanded rows, F or 2 F
  Ops ops;

  Sublayer(const Tensor& x, FeedForwardWeights all, const DropoutPlan& plan, std::int64_t place, Ops how)
      : weights(std::move(all)), dropout(plan), site(place), ops(how) {
    samples = x.size(0);
    C = x.size(-1);
    rows = x.numel() / C;
    F = weights.contract.size(1);
    hidden_columns = weights.expand.size(0);
  }

  RowNorm norm() const {
    return {weights.norm, rows, C, kNormEpsilon, pointer(weights.norm_weight), pointer(weights.norm_bias)};
  }
  ActivationRows activation() const { return {weights.activation, rows, F}; }
  WeightOperand expand_operand() const { return weight_operand(weights.expand, ops); }
  WeightOperand contract_operand() const { return weight_operand(weights.contract, ops); }
  /// residual + dropped in; residual null: the dropped alone.
  void drop(const float* in, const float* residual, float* out) const {
    drop_rows(dropout, site, samples, rows * C / samples, in, residual, out);
  }
};

/// The statistics of RowNorm in a tensor [2, rows].
RowNormStatistics statistics_in(const Tensor& statistics) {
  return {pointer(statistics), pointer(statistics) + statistics.size(1)};
}

/// x + drop(contract(activation(hidden))); overwrites `hidden` when it may.
Tensor contract_and_add(const Sublayer& layer, const Tensor& x, const Tensor& hidden, bool keep_hidden) {
  const bool in_place = !keep_hidden && layer.F == layer.hidden_columns;
  const Tensor active = in_place ? operand_in(hidden, layer.ops) : empty_operand({layer.rows, layer.F}, layer.ops);
  on_numbers(active, [&](auto* rows) { activation_forward(layer.activation(), pointer(hidden), rows); });
  const Tensor y = at::empty_like(x);  // [B, T, C]
  linear_forward(active, layer.contract_operand(), layer.weights.contract_bias, y);
  layer.drop(pointer(y), pointer(x), pointer(y));
  return y;
}

struct Gradients {
  Tensor x;
  FeedForwardWeights weights;
};

/// From dy (with respect to the sum) to what reaches `hidden`, for products to read; fills in the gradients of the
/// contraction and of the expansion's bias on the way.
Tensor hidden_gradient(const Sublayer& layer, const Tensor& hidden, const Tensor& dy, Gradients& gradients) {
  Tensor dropped = dy;  // what goes into the branch, [B, T, C]
  if (layer.dropout.probability > 0.0) {
    dropped = at::empty_like(dy);
    layer.drop(pointer(dy), nullptr, pointer(dropped));
  }
  const Tensor multiplied = operand(dropped, layer.ops), dactive = at::empty({layer.rows, layer.F}, dy.options());
  linear_input_gradient(multiplied, layer.contract_operand(), dactive);
  const Tensor active = empty_operand(dactive.sizes(), layer.ops);
  const Tensor dhidden =
      layer.F == layer.hidden_columns ? operand_in(dactive, layer.ops) : empty_operand(hidden.sizes(), layer.ops);
  on_numbers(dhidden, [&](auto* rows) {
    activation_backward(layer.activation(), pointer(hidden), pointer(dactive), rows,
                        static_cast<decltype(rows)>(active.data_ptr()), pointer(gradients.weights.expand_bias));
  });
  linear_weight_gradient(multiplied, active, gradients.weights.contract);
  if (gradients.weights.contract_bias.defined())
    sum_rows(pointer(dropped), layer.rows, layer.C, pointer(gradients.weights.contract_bias));
  return dhidden;
}

Gradients differentiate(const Sublayer& layer, const Tensor& x, const Tensor& hidden, const Tensor& statistics,
                        const Tensor& dy) {
  const FeedForwardWeights& w = layer.weights;
  Gradients gradients;
  gradients.weights = {.norm_weight = at::empty_like(w.norm_weight),
                       .norm_bias = empty_like_optional(w.norm_bias),
                       .expand = at::empty_like(w.expand),
                       .expand_bias = empty_like_optional(w.expand_bias),
                       .contract = at::empty_like(w.contract),
                       .contract_bias = empty_like_optional(w.contract_bias)};
  const Tensor dhidden = hidden_gradient(layer, hidden, dy, gradients);
  gradients.x = at::empty_like(x);  // [B, T, C]: of norm(x), then of x
  const Tensor normed = operand_in(gradients.x, layer.ops);
  on_numbers(normed, [&](auto* rows) { row_norm_again(layer.norm(), pointer(x), statistics_in(statistics), rows); });
  linear_weight_gradient(dhidden, normed, gradients.weights.expand);
  linear_input_gradient(dhidden, layer.expand_operand(), gradients.x);
  row_norm_backward(layer.norm(), pointer(x), statistics_in(statistics), pointer(gradients.x), pointer(dy),
                    pointer(gradients.x), pointer(gradients.weights.norm_weight), pointer(gradients.weights.norm_bias));
  return gradients;
}

/// The call's options, kept beside the saved tensors.
struct Kept : torch::CustomClassHolder {
  NormKind norm;
  ActivationKind activation;
  DropoutPlan dropout;
  std::int64_t site;
  Ops ops;
  bool keeps_hidden;
};

struct FeedForward : torch::autograd::Function<FeedForward> {
  using Optional = c10::optional<Tensor>;

  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& norm_weight, const Optional& norm_bias,
                        const Tensor& expand, const Optional& expand_bias, const Tensor& contract,
                        const Optional& contract_bias, const c10::intrusive_ptr<Kept>& kept) {
    const variable_list tensors = {norm_weight, norm_bias.value_or(Tensor()),    expand, expand_bias.value_or(Tensor()),
                                   contract,    contract_bias.value_or(Tensor())};
    const Sublayer layer = make_sublayer(x, tensors.data(), *kept);
    const Tensor statistics = at::empty({2, layer.rows}, x.options()), normed = empty_operand(x.sizes(), kept->ops);
    on_numbers(normed,
               [&](auto* rows) { row_norm_forward(layer.norm(), pointer(x), rows, statistics_in(statistics)); });
    const Tensor hidden = at::empty({layer.rows, layer.hidden_columns}, x.options());
    linear_forward(normed, layer.expand_operand(), layer.weights.expand_bias, hidden);
    if (kept->keeps_hidden) {
      variable_list saved = {x, hidden, statistics};
      saved.insert(saved.end(), tensors.begin(), tensors.end());
      context->save_for_backward(saved);
      context->saved_data["kept"] = c10::IValue::make_capsule(kept);
    }
    return contract_and_add(layer, x, hidden, kept->keeps_hidden);
  }

  static variable_list backward(AutogradContext* context, variable_list dy) {
    const variable_list saved = context->get_saved_variables();
    const auto kept = context->saved_data["kept"].toCapsule();
    const Sublayer layer = make_sublayer(saved[0], saved.data() + 3, static_cast<const Kept&>(*kept));
    const Gradients found = differentiate(layer, saved[0], saved[1], saved[2], dy[0].contiguous());
    const FeedForwardWeights& w = found.weights;
    return {found.x, w.norm_weight, w.norm_bias, w.expand, w.expand_bias, w.contract, w.contract_bias, Tensor()};
  }

 private:
  /// `tensors`: the six trained ones, in the order of forward().
  static Sublayer make_sublayer(const Tensor& x, const Tensor* tensors, const Kept& kept) {
    return {x,
            {kept.norm, tensors[0], tensors[1], tensors[2], tensors[3], kept.activation, tensors[4], tensors[5]},
            kept.dropout,
            kept.site,
            kept.ops};
  }
};

}  // namespace

bool can_fuse_feed_forward(Ops ops, const Tensor& x, const FeedForwardWeights& w) {
  return x.numel() > 0 &&
         use_fast(ops, Operation::kFeedForward,
                  {x, w.norm_weight, w.norm_bias, w.expand, w.expand_bias, w.contract, w.contract_bias});
}

Tensor feed_forward(const Tensor& x, const FeedForwardWeights& w, const DropoutPlan& dropout, std::int64_t site,
                    Ops ops) {
  const auto optional = [](const Tensor& tensor) {
    return tensor.defined() ? c10::optional<Tensor>(tensor.contiguous()) : c10::nullopt;
  };
  const auto kept = c10::make_intrusive<Kept>();
  kept->norm = w.norm;
  kept->activation = w.activation;
  kept->dropout = dropout;
  kept->site = site;
  kept->ops = ops;
  kept->keeps_hidden = torch::GradMode::is_enabled();
  return FeedForward::apply(x.contiguous(), w.norm_weight.contiguous(), optional(w.norm_bias), w.expand.contiguous(),
                            optional(w.expand_bias), w.contract.contiguous(), optional(w.contract_bias), kept);
}

}  // namespace tinylm::ops
