#include "model/ops/projected_loss.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "core/errors.h"
#include "data/batch.h"
#include "model/ops/dispatch.h"
#include "model/ops/kernels/softmax_loss.h"
#include "model/ops/linear.h"
#include "model/ops/linear_products.h"

namespace tinylm::ops {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kLogitsAtATime = 1 << 24;  // 64 MiB
constexpr std::int64_t kLeastRows = 128;          // fewer would read the weight too often for what is computed with it

/// A target for each row, checked.
struct Targets {
  Tensor ids;              // [rows] int64, contiguous
  std::int64_t count = 0;  // of those that are not ignored
};

Targets checked_targets(const Tensor& targets, std::int64_t V) {
  Targets result{targets.to(torch::kInt64).reshape({-1}).contiguous()};
  const auto* ids = result.ids.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < result.ids.numel(); ++i) {
    if (ids[i] == kIgnoredTarget) continue;
    if (ids[i] < 0 || ids[i] >= V)
      throw BadInput("target " + std::to_string(ids[i]) + " is outside the vocabulary of " + std::to_string(V));
    ++result.count;
  }
  return result;
}

/// The loss of each row, and, where defined, the gradients of gradient_scale times their sum.
struct LossPass {
  Tensor losses;  // [rows], 0 where ignored
  Tensor dhidden, dweight;

  double sum() const {
    const float* loss = losses.data_ptr<float>();
    return std::accumulate(loss, loss + losses.numel(), 0.0);
  }
};

LossPass loss_pass(const Tensor& hidden, const Tensor& weight, const Tensor& targets, float gradient_scale,
                   bool want_gradients, Ops ops) {
  const std::int64_t V = weight.size(0), C = weight.size(1), rows = targets.numel();
  const std::int64_t at_a_time = logit_rows_at_a_time(V);
  LossPass pass;
  if (want_gradients) {
    pass.dhidden = at::empty_like(hidden);
    pass.dweight = rows == 0 ? at::zeros_like(weight) : at::empty_like(weight);
  }
  const Tensor logits = at::empty({std::min(rows, at_a_time), V}, hidden.options());
  const Tensor all_rows = operand(hidden, ops).view({rows, C});
  const WeightOperand read_weight = weight_operand(weight, ops);
  pass.losses = at::empty({rows}, hidden.options());
  for (std::int64_t first = 0; first < rows; first += at_a_time) {
    const std::int64_t count = std::min(at_a_time, rows - first);
    const Tensor h = all_rows.narrow(0, first, count), of_rows = logits.narrow(0, 0, count);
    linear_forward(h, read_weight, {}, of_rows);
    softmax_loss({count, V, targets.data_ptr<std::int64_t>() + first, kIgnoredTarget}, of_rows.data_ptr<float>(),
                 want_gradients ? gradient_scale : 0.0F, pass.losses.data_ptr<float>() + first);
    if (!want_gradients) continue;
    const Tensor dlogits = operand(of_rows, ops);
    linear_input_gradient(dlogits, read_weight, pass.dhidden.view({rows, C}).narrow(0, first, count));
    linear_weight_gradient(dlogits, h, pass.dweight, /*accumulate=*/first > 0);
  }
  return pass;
}

struct ProjectedLoss : torch::autograd::Function<ProjectedLoss> {
  static Tensor forward(AutogradContext* context, const Tensor& hidden, const Tensor& weight, const Tensor& targets,
                        double scale, bool want_gradients, bool in_bfloat16) {
    const LossPass pass = loss_pass(hidden, weight, targets, static_cast<float>(scale), want_gradients,
                                    in_bfloat16 ? Ops::kBfloat16 : Ops::kAuto);
    if (want_gradients) context->save_for_backward({pass.dhidden, pass.dweight});
    return torch::tensor(static_cast<float>(pass.sum() * scale), hidden.options());
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto factor = gradients[0].item<float>();
    const auto scaled = [factor](const Tensor& gradient) { return factor == 1.0F ? gradient : gradient * factor; };
    return {scaled(saved[0]), scaled(saved[1]), {}, {}, {}, {}};
  }
};

}  // namespace

std::int64_t logit_rows_at_a_time(std::int64_t V) {
  return std::max(kLeastRows, kLogitsAtATime / std::max<std::int64_t>(1, V));
}

Tensor projected_loss(const Tensor& hidden, const Tensor& weight, const Tensor& targets, Ops ops,
                      LossReduction reduction) {
  const bool fits = hidden.dim() >= 1 && weight.dim() == 2 && hidden.size(-1) == weight.size(1) &&
                    hidden.numel() == targets.numel() * weight.size(1);  // libtorch explains what does not
  const bool want_gradients = torch::GradMode::is_enabled() && (hidden.requires_grad() || weight.requires_grad());
  const bool each = reduction == LossReduction::kNone;
  if (!fits || (each && want_gradients) || !use_fast(ops, Operation::kProjectedLoss, {hidden, weight}))
    return next_token_loss(linear(hidden, weight, {}, ops), targets, reduction);
  const Targets checked = checked_targets(targets, weight.size(0));
  if (each)
    return loss_pass(hidden.contiguous(), weight.contiguous(), checked.ids, 0.0F, false, Ops::kAuto)
        .losses.view(targets.sizes());
  const double scale = 1.0 / static_cast<double>(checked.count);
  return ProjectedLoss::apply(hidden.contiguous(), weight.contiguous(), checked.ids, scale, want_gradients,
                              want_gradients && ops == Ops::kBfloat16);
}

}  // namespace tinylm::ops
