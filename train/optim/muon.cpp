#include "train/optim/muon.h"

#include <algorithm>
#include <cmath>

#include "core/vectorised.h"
#include "train/optim/vector_loops.h"

namespace tinylm {
namespace {

/// Updates the mean gradient and writes what Nesterov's momentum steps by; returns the sum of its squares.
double look_ahead(float* __restrict means, float* __restrict ahead, const float* __restrict gradients,
                  std::int64_t count, float gradient_scale, float momentum) {
  double squares = 0.0;
#pragma omp simd reduction(+ : squares)
  for (std::int64_t i = 0; i < count; ++i) {
    const float gradient = gradients[i] * gradient_scale;
    means[i] = momentum * means[i] + (1.0F - momentum) * gradient;
    ahead[i] = momentum * means[i] + (1.0F - momentum) * gradient;
    squares += static_cast<double>(ahead[i]) * static_cast<double>(ahead[i]);
  }
  return squares;
}

void step_along(float* __restrict weights, const float* __restrict direction, std::int64_t count, float kept,
                float rate) {
  for (std::int64_t i = 0; i < count; ++i) weights[i] = weights[i] * kept - rate * direction[i];
}

/// Rows of the matrices that a parameter of the blocks holds.
std::vector<std::int64_t> rows_of_matrices(const std::string& name, const torch::Tensor& value,
                                           const ModelConfig& config) {
  if (name.ends_with("query_key_value.weight")) {
    const std::int64_t keys = config.key_value_heads() * config.head_size();
    return {config.width, keys, keys};
  }
  if (name.ends_with("expand.weight") && config.activation == ActivationKind::kSwiGlu)
    return {config.hidden_width(), config.hidden_width()};
  return {value.size(0)};
}

}  // namespace

Muon::Muon(const torch::nn::Module& model, const ModelConfig& config, const MuonOptions& options)
    : Optimizer(model),
      options_(options),
      adamw_(model, options.adamw, [](const Parameter& parameter) { return !parameter.is_block_matrix; }),
      orthogonalise_(options.iterations) {
  std::int64_t place = 0;
  for (std::size_t p = 0; p < parameters().all().size(); ++p) {
    const Parameter& parameter = parameters().all()[p];
    momentum_.push_back(parameter.is_block_matrix ? torch::zeros(parameter.value.sizes(), torch::kFloat32)
                                                  : torch::Tensor());
    if (!parameter.is_block_matrix) continue;
    std::int64_t first = 0;
    for (const std::int64_t rows : rows_of_matrices(parameter.name, parameter.value, config)) {
      parts_.push_back({p, first, rows, parameter.value.size(1), place});
      first += parts_.back().count();
      place += parts_.back().count();
    }
  }
  ahead_.resize(static_cast<std::size_t>(place));
  orthogonal_.resize(static_cast<std::size_t>(place));
}

void Muon::gather(const Part& part, const float* gradient, float gradient_scale) {
  float* ahead = ahead_.data() + part.place;
  const double squares =
      vectorised<look_ahead>(momentum_[part.parameter].data_ptr<float>() + part.first, ahead, gradient + part.first,
                             part.count(), gradient_scale, static_cast<float>(options_.momentum));
  if (squares > 0.0) vectorised<scale_in_place>(ahead, part.count(), static_cast<float>(1.0 / std::sqrt(squares)));
}

void Muon::apply(const Part& part, double rate) {
  const double shape = std::sqrt(std::max(1.0, static_cast<double>(part.rows) / static_cast<double>(part.columns)));
  vectorised<step_along>(parameters().all()[part.parameter].value.data_ptr<float>() + part.first,
                         orthogonal_.data() + part.place, part.count(),
                         static_cast<float>(1.0 - rate * options_.weight_decay), static_cast<float>(rate * shape));
}

void Muon::step(std::int64_t step, double learning_rate, double gradient_scale) {
  adamw_.step(step, learning_rate, gradient_scale);
  const std::vector<const float*> gradients = parameters().gradients();
  const auto for_each_part = [&](const auto& body) {
    parallel_for(0, static_cast<std::int64_t>(parts_.size()), 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i)
        if (gradients[parts_[i].parameter] != nullptr) body(parts_[i]);
    });
  };
  for_each_part([&](const Part& part) { gather(part, gradients[part.parameter], static_cast<float>(gradient_scale)); });
  std::vector<OrthogonaliserInput> inputs;
  for (const Part& part : parts_)
    inputs.push_back({ahead_.data() + part.place, orthogonal_.data() + part.place, part.rows, part.columns});
  orthogonalise_(inputs);
  const double rate = learning_rate * options_.rate_factor;
  for_each_part([&](const Part& part) { apply(part, rate); });
}

NamedTensors Muon::state() const {
  NamedTensors state = adamw_.state();
  for (std::size_t p = 0; p < momentum_.size(); ++p)
    if (momentum_[p].defined()) state.emplace_back("momentum." + parameters().all()[p].name, momentum_[p]);
  return state;
}

std::string Muon::describe_groups() const {
  return parameters().describe_groups("Muon with weight decay", "AdamW without");
}

}  // namespace tinylm
