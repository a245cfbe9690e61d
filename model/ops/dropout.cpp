#include "model/ops/dropout.h"

#include <algorithm>

#include "core/torch.h"

namespace tinylm::ops {
namespace {

template <class Scalar>
void drop_samples(const DropoutPlan& plan, std::int64_t site, const torch::Tensor& in, torch::Tensor& out) {
  const std::int64_t samples = in.size(0), length = in.numel() / std::max<std::int64_t>(1, samples);
  drop_rows<Scalar>(plan, site, samples, length, in.data_ptr<Scalar>(), nullptr, out.data_ptr<Scalar>());
}

torch::Tensor dropped(const torch::Tensor& x, const DropoutPlan& plan, std::int64_t site) {
  if (!x.device().is_cpu() || (x.scalar_type() != torch::kFloat32 && x.scalar_type() != torch::kFloat64)) {
    const torch::Tensor factors = dropped(torch::ones(x.sizes(), torch::kFloat32), plan, site);
    return x * factors.to(x.options());
  }
  const torch::Tensor in = x.contiguous();
  torch::Tensor out = torch::empty_like(in);
  if (x.scalar_type() == torch::kFloat64)
    drop_samples<double>(plan, site, in, out);
  else
    drop_samples<float>(plan, site, in, out);
  return out;
}

/// Draws again in the backward pass instead of keeping a mask.
struct Dropout : torch::autograd::Function<Dropout> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x, double probability,
                               std::int64_t seed, std::int64_t first_sample, std::int64_t site) {
    context->saved_data["probability"] = probability;
    context->saved_data["seed"] = seed;
    context->saved_data["first_sample"] = first_sample;
    context->saved_data["site"] = site;
    return dropped(x, {probability, static_cast<std::uint64_t>(seed), first_sample}, site);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    auto& saved = context->saved_data;
    const DropoutPlan plan{saved["probability"].toDouble(), static_cast<std::uint64_t>(saved["seed"].toInt()),
                           saved["first_sample"].toInt()};
    return {dropped(gradients[0], plan, saved["site"].toInt()), {}, {}, {}, {}};
  }
};

}  // namespace

torch::Tensor dropout(const torch::Tensor& x, const DropoutPlan& plan, std::int64_t site) {
  if (plan.probability == 0.0) return x;
  return Dropout::apply(x, plan.probability, static_cast<std::int64_t>(plan.seed), plan.first_sample, site);
}

}  // namespace tinylm::ops
