// Comparing tensors in tests: a failure tells dtype, shape, then the first index that differs with both values.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "core/torch.h"

namespace tinylm::testing {

inline std::string kind_of(const torch::Tensor& tensor) {
  std::ostringstream text;
  text << tensor.dtype() << " " << tensor.sizes();
  return text.str();
}

/// "[0, 3, 1]" for an element of a contiguous tensor.
inline std::string index_text(std::int64_t element, torch::IntArrayRef sizes) {
  std::string text;
  for (auto i = static_cast<std::int64_t>(sizes.size()) - 1; i >= 0; --i) {
    text = std::to_string(element % sizes[i]) + (text.empty() ? "" : ", ") + text;
    element /= sizes[i];
  }
  return "[" + text + "]";
}

/// Compares element by element with `same(found, expected)` on doubles.
inline ::testing::AssertionResult compare_tensors(const torch::Tensor& found, const torch::Tensor& expected,
                                                  const std::function<bool(double, double)>& same) {
  if (!found.defined() || !expected.defined())
    return found.defined() == expected.defined() ? ::testing::AssertionSuccess()
                                                 : ::testing::AssertionFailure() << "one of the tensors is undefined";
  if (found.dtype() != expected.dtype() || found.sizes() != expected.sizes())
    return ::testing::AssertionFailure() << "found " << kind_of(found) << ", expected " << kind_of(expected);
  const auto wide = [](const torch::Tensor& x) { return x.detach().cpu().to(torch::kFloat64).contiguous(); };
  const torch::Tensor left = wide(found), right = wide(expected);
  std::int64_t differing = 0, first = -1;
  for (std::int64_t i = 0; i < left.numel(); ++i) {
    if (same(left.data_ptr<double>()[i], right.data_ptr<double>()[i])) continue;
    if (first < 0) first = i;
    ++differing;
  }
  if (differing == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << kind_of(found) << " differs in " << differing << " of " << left.numel()
                                       << " elements, first at " << index_text(first, found.sizes()) << ": found "
                                       << left.data_ptr<double>()[first] << ", expected "
                                       << right.data_ptr<double>()[first];
}

/// Equal bit for bit (zeros of either sign differ, NaN equals NaN).
inline ::testing::AssertionResult tensors_equal(const torch::Tensor& found, const torch::Tensor& expected) {
  return compare_tensors(found, expected, [](double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; });
}

/// |found - expected| <= absolute + relative * |expected|; NaN is never close.
inline ::testing::AssertionResult tensors_close(const torch::Tensor& found, const torch::Tensor& expected,
                                                double absolute, double relative = 0.0) {
  return compare_tensors(found, expected, [=](double a, double b) {
    return a == b || std::abs(a - b) <= absolute + relative * std::abs(b);
  });
}

/// Compares the gradient that autograd gives each input with central differences. `function` maps the inputs (float64,
/// changed in place here and put back) to any tensor; its sum with fixed weights is what is differentiated.
inline ::testing::AssertionResult gradients_match(
    const std::function<torch::Tensor(const std::vector<torch::Tensor>&)>& function, std::vector<torch::Tensor> inputs,
    double tolerance = 1e-6) {
  constexpr double kStep = 1e-5;
  const auto weighted = [&] {
    const torch::Tensor result = function(inputs);
    const torch::Tensor weights = torch::arange(result.numel(), torch::kFloat64).mul(0.7).cos().view(result.sizes());
    return (result * weights).sum();
  };
  for (auto& input : inputs) input.mutable_grad() = torch::Tensor();
  for (auto& input : inputs) input.requires_grad_(true);
  weighted().backward();
  const torch::NoGradGuard no_gradient;
  for (std::size_t which = 0; which < inputs.size(); ++which) {
    auto* values = inputs[which].data_ptr<double>();
    torch::Tensor expected = torch::zeros_like(inputs[which]);
    for (std::int64_t i = 0; i < inputs[which].numel(); ++i) {
      const double kept = values[i];
      values[i] = kept + kStep;
      const double above = weighted().item<double>();
      values[i] = kept - kStep;
      const double below = weighted().item<double>();
      values[i] = kept;
      expected.data_ptr<double>()[i] = (above - below) / (2 * kStep);
    }
    const torch::Tensor found = inputs[which].grad().defined() ? inputs[which].grad() : torch::zeros_like(expected);
    if (const auto result = tensors_close(found, expected, tolerance, tolerance); !result)
      return ::testing::AssertionFailure() << "gradient of input " << which << ": " << result.message();
  }
  return ::testing::AssertionSuccess();
}

}  // namespace tinylm::testing
