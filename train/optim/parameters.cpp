#include "train/optim/parameters.h"

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "core/numbers.h"
#include "core/vectorised.h"
#include "train/optim/vector_loops.h"

namespace tinylm {

ParameterList::ParameterList(const torch::nn::Module& model) {
  for (const auto& item : model.named_parameters()) {
    const torch::Tensor& value = item.value();
    if (value.scalar_type() != torch::kFloat32 || !value.is_contiguous() || !value.device().is_cpu()) {
      throw std::invalid_argument("parameter " + item.key() + " is not contiguous float32 on the processor");
    }
    const bool block_matrix = item.key().rfind("blocks.", 0) == 0 && value.dim() == 2;
    for (std::int64_t first = 0; first < value.numel(); first += kSliceElements) {
      slices_.push_back({parameters_.size(), first, std::min(kSliceElements, value.numel() - first)});
    }
    parameters_.push_back({item.key(), value, block_matrix});
  }
}

void ParameterList::zero_gradients() {
  for (Parameter& parameter : parameters_) parameter.value.mutable_grad() = torch::Tensor();
}

std::vector<const float*> ParameterList::gradients() const {
  std::vector<const float*> pointers;
  for (const Parameter& parameter : parameters_) {
    torch::Tensor& gradient = parameter.value.mutable_grad();
    if (gradient.defined() && !gradient.is_contiguous()) gradient = gradient.contiguous();
    pointers.push_back(gradient.defined() ? gradient.data_ptr<float>() : nullptr);
  }
  return pointers;
}

double ParameterList::gradient_norm() const {
  const std::vector<const float*> gradient = gradients();
  std::vector<double> sums(slices_.size(), 0.0);
  for_each_slice([&](std::int64_t slice, std::size_t parameter, std::int64_t first, std::int64_t count) {
    if (gradient[parameter] != nullptr) sums[slice] = vectorised<sum_of_squares>(gradient[parameter] + first, count);
  });
  return std::sqrt(std::accumulate(sums.begin(), sums.end(), 0.0));
}

std::string ParameterList::describe_groups(const std::string& on_matrices, const std::string& on_others) const {
  std::int64_t tensors[2] = {0, 0}, elements[2] = {0, 0};
  for (const Parameter& parameter : parameters_) {
    ++tensors[parameter.is_block_matrix];
    elements[parameter.is_block_matrix] += parameter.value.numel();
  }
  const auto group = [&](const std::string& words, bool matrices) {
    return words + " on " + std::to_string(tensors[matrices]) + " tensors (" + grouped(elements[matrices]) + ")";
  };
  return group(on_matrices, true) + ", " + group(on_others, false);
}

}  // namespace tinylm
