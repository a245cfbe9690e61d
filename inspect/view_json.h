// A view as JSON, whose numbers are written as lists, for programs, or as base64, for the page.
#pragma once

#include <nlohmann/json.hpp>

#include "inspect/view.h"

namespace tinylm {

/// How many numbers are written: two ways of saying the same.
class NumberWriter {
 public:
  virtual ~NumberWriter() = default;
  /// float32 or int32, any shape. What is not finite is null in lists and itself in base64.
  virtual nlohmann::ordered_json numbers(const torch::Tensor& values) const = 0;
  /// [T, T], causal, rows that sum to one.
  virtual nlohmann::ordered_json triangle(const torch::Tensor& weights) const = 0;
};

/// Nested lists; floats in the shortest form that reads back to them.
class ListWriter : public NumberWriter {
 public:
  nlohmann::ordered_json numbers(const torch::Tensor& values) const override;
  nlohmann::ordered_json triangle(const torch::Tensor& weights) const override;
};

class Base64Writer : public NumberWriter {
 public:
  nlohmann::ordered_json numbers(const torch::Tensor& values) const override;
  nlohmann::ordered_json triangle(const torch::Tensor& weights) const override;
};

/// Everything of a view but its tokens and attention weights: "title", "model", "notes", "generated_from",
/// "mean_loss_nats", "finding", "layers", "heads", "scores", "value_norms" [L,H,T], "rollout", "uniform_rollout",
/// "next", "token_labels", "lens", "ablation", "attribution", "training"; docs/inspecting.md says what each is. L and H
/// are those that the view shows.
nlohmann::ordered_json view_json(const View& view, const NumberWriter& writer);

}  // namespace tinylm
