#include "train/optim/adamw.h"

#include <cmath>

#include "core/vectorised.h"

namespace tinylm {
namespace {

/// What one step has in common for many elements.
struct Factors {
  float gradient_scale;
  float beta1, beta2;
  float kept;             // of the weight, after decay: 1 - learning_rate * weight_decay
  float rate;             // learning_rate / (1 - beta1^step)
  float root_correction;  // 1 / sqrt(1 - beta2^step)
  float epsilon;
};

void update(float* __restrict weights, float* __restrict means, float* __restrict mean_squares,
            const float* __restrict gradients, std::int64_t count, const Factors& factors) {
  const Factors f = factors;  // a copy, because the stores below could change the original
  for (std::int64_t i = 0; i < count; ++i) {
    const float gradient = gradients[i] * f.gradient_scale;
    means[i] = f.beta1 * means[i] + (1.0F - f.beta1) * gradient;
    mean_squares[i] = f.beta2 * mean_squares[i] + (1.0F - f.beta2) * gradient * gradient;
    const float root = std::sqrt(mean_squares[i]) * f.root_correction + f.epsilon;
    weights[i] = weights[i] * f.kept - f.rate * means[i] / root;
  }
}

}  // namespace

AdamW::AdamW(const torch::nn::Module& model, const AdamWOptions& options, Choice steps)
    : Optimizer(model), options_(options) {
  for (const Parameter& parameter : parameters().all()) {
    const bool chosen = steps(parameter);
    means_.push_back(chosen ? torch::zeros(parameter.value.sizes(), torch::kFloat32) : torch::Tensor());
    mean_squares_.push_back(chosen ? torch::zeros(parameter.value.sizes(), torch::kFloat32) : torch::Tensor());
  }
}

void AdamW::step(std::int64_t step, double learning_rate, double gradient_scale) {
  const double correction1 = 1.0 - std::pow(options_.beta1, static_cast<double>(step));
  const double correction2 = 1.0 - std::pow(options_.beta2, static_cast<double>(step));
  const Factors plain{static_cast<float>(gradient_scale),
                      static_cast<float>(options_.beta1),
                      static_cast<float>(options_.beta2),
                      1.0F,
                      static_cast<float>(learning_rate / correction1),
                      static_cast<float>(1.0 / std::sqrt(correction2)),
                      static_cast<float>(options_.epsilon)};
  Factors decaying = plain;
  decaying.kept = static_cast<float>(1.0 - learning_rate * options_.weight_decay);

  const std::vector<Parameter>& all = parameters().all();
  const std::vector<const float*> gradients = parameters().gradients();
  parameters().for_each_slice([&](std::int64_t, std::size_t p, std::int64_t first, std::int64_t count) {
    if (gradients[p] == nullptr || !means_[p].defined()) return;
    vectorised<update>(all[p].value.data_ptr<float>() + first, means_[p].data_ptr<float>() + first,
                       mean_squares_[p].data_ptr<float>() + first, gradients[p] + first, count,
                       all[p].is_block_matrix ? decaying : plain);
  });
  // Written behind libtorch's back: copies of the weights (model/decoder_weights.h, model/ops/weight_copies.h) go by
  // the version.
  for (const Parameter& parameter : all) parameter.value.unsafeGetTensorImpl()->bump_version();
}

NamedTensors AdamW::state() const {
  NamedTensors state;
  for (std::size_t p = 0; p < means_.size(); ++p) {
    if (!means_[p].defined()) continue;
    const std::string& name = parameters().all()[p].name;
    state.emplace_back("mean." + name, means_[p]);
    state.emplace_back("mean_square." + name, mean_squares_[p]);
  }
  return state;
}

std::string AdamW::describe_groups() const {
  return parameters().describe_groups("weight decay", "none");
}

}  // namespace tinylm
