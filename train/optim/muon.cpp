#include "train/optim/muon.h"

#include <algorithm>
#include <cmath>

#include "core/vectorised.h"

namespace tinylm {
namespace {

/// Updates the mean gradient and writes what Nesterov's momentum steps by; returns the sum of its squares.
TINYLM_VECTORISED double look_ahead(float* __restrict means, float* __restrict ahead, const float* __restrict gradients,
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

TINYLM_VECTORISED void scale_in_place(float* values, std::int64_t count, float factor) {
  for (std::int64_t i = 0; i < count; ++i) values[i] *= factor;
}

TINYLM_VECTORISED void step_along(float* __restrict weights, const float* __restrict direction, std::int64_t count,
                                  float kept, float rate) {
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
  const std::vector<Parameter>& all = parameters().all();
  for (std::size_t p = 0; p < all.size(); ++p) {
    momentum_.push_back(all[p].is_block_matrix ? torch::zeros_like(all[p].value) : torch::Tensor());
    if (all[p].is_block_matrix) add_parts(p, rows_of_matrices(all[p].name, all[p].value, config));
  }
  std::vector<std::int64_t> counts(stacks_.size(), 0);
  for (const Part& part : parts_) counts[part.stack] = std::max(counts[part.stack], part.index + 1);
  for (std::size_t i = 0; i < stacks_.size(); ++i)
    stacks_[i] = torch::zeros({counts[i], stacks_[i].size(0), stacks_[i].size(1)}, torch::kFloat32);
}

void Muon::add_parts(std::size_t parameter, const std::vector<std::int64_t>& rows) {
  const torch::Tensor value = parameters().all()[parameter].value.detach();
  std::int64_t first_row = 0;
  for (const std::int64_t count : rows) {
    const torch::Tensor matrix = value.narrow(0, first_row, count);  // [count, columns]
    const auto stack = std::find_if(stacks_.begin(), stacks_.end(),
                                    [&](const torch::Tensor& other) { return other.sizes() == matrix.sizes(); });
    const auto place = static_cast<std::size_t>(stack - stacks_.begin());
    if (stack == stacks_.end()) stacks_.push_back(matrix);
    const auto same =
        std::count_if(parts_.begin(), parts_.end(), [&](const Part& part) { return part.stack == place; });
    parts_.push_back({parameter, first_row, count, place, same});
    first_row += count;
  }
}

void Muon::gather(const Part& part, const float* gradient, float gradient_scale) {
  torch::Tensor& stack = stacks_[part.stack];
  const std::int64_t count = stack.size(1) * stack.size(2), first = part.first_row * stack.size(2);
  float* ahead = stack.data_ptr<float>() + part.index * count;
  const double squares = look_ahead(momentum_[part.parameter].data_ptr<float>() + first, ahead, gradient + first, count,
                                    gradient_scale, static_cast<float>(options_.momentum));
  if (squares > 0.0) scale_in_place(ahead, count, static_cast<float>(1.0 / std::sqrt(squares)));
}

void Muon::apply(const Part& part, const torch::Tensor& orthogonalised, double rate) {
  const std::int64_t rows = orthogonalised.size(1), columns = orthogonalised.size(2), count = rows * columns;
  const double shape = std::sqrt(std::max(1.0, static_cast<double>(rows) / static_cast<double>(columns)));
  step_along(parameters().all()[part.parameter].value.data_ptr<float>() + part.first_row * columns,
             orthogonalised.data_ptr<float>() + part.index * count, count,
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
  const std::vector<torch::Tensor>& orthogonalised = orthogonalise_(stacks_);
  const double rate = learning_rate * options_.rate_factor;
  for_each_part([&](const Part& part) { apply(part, orthogonalised[part.stack], rate); });
}

NamedTensors Muon::state() const {
  NamedTensors state = adamw_.state();
  for (std::size_t p = 0; p < momentum_.size(); ++p)
    if (momentum_[p].defined()) state.emplace_back("momentum." + parameters().all()[p].name, momentum_[p]);
  return state;
}

std::string Muon::describe_groups() const {
  return parameters().describe_groups("Muon", "AdamW");
}

}  // namespace tinylm
