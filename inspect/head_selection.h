// Which layers and heads are looked at.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/torch.h"
#include "model/config.h"

namespace tinylm {

/// A head, counted from 0.
struct HeadPlace {
  std::int64_t layer = 0;
  std::int64_t head = 0;
  bool operator==(const HeadPlace&) const = default;
};

/// "0.2" or "L0H2". Throws WrongUse, naming `flag` and what was found, for anything else.
HeadPlace parse_head(const std::string& text, const std::string& flag);

/// Ascending numbers of the model's own layers and heads, each at least one.
struct HeadSelection {
  std::vector<std::int64_t> layers, heads;

  static HeadSelection all(const ModelConfig& config);
  bool holds(const HeadPlace& place) const;
  /// Of values of every layer and head [L, H, ...] those that are selected, [layers, heads, ...].
  torch::Tensor of(const torch::Tensor& values) const;
};

/// "0,2-3" -> 0, 2, 3, sorted and each once. Throws WrongUse naming `flag` for anything else, and for a number of
/// `count` or more.
std::vector<std::int64_t> parse_numbers(const std::string& text, std::int64_t count, const std::string& flag);

}  // namespace tinylm
