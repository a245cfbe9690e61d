// How a model knows the order of its tokens. Each kind is one file in positions/ and one line in the table in
// positions.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/torch.h"
#include "model/config.h"
#include "model/ops/attention_positions.h"

namespace tinylm {

class Problems;

/// A positional encoding acts in one or more of three places; each does nothing unless overridden. `first` is the
/// position of the first token given.
class Positions : public torch::nn::Module {
 public:
  /// What is added to the embeddings of tokens at positions first .. first + T - 1: [T, C] with dtype and device of
  /// `like`, or an undefined tensor for nothing.
  virtual torch::Tensor added(std::int64_t first, std::int64_t T, const torch::Tensor& like) const;
  /// Queries or keys [B, heads, T, D] -> the same shape, before their dot products.
  virtual torch::Tensor rotate(const torch::Tensor& x, std::int64_t first) const;
  /// What is added to the scores of queries at positions first .. first + Tq - 1 and keys at 0 .. first + Tq - 1:
  /// [H, Tq, first + Tq] of these options, or an undefined tensor for nothing.
  virtual torch::Tensor score_bias(std::int64_t first, std::int64_t Tq, const torch::TensorOptions& options) const;
  /// The same as rotate() and score_bias() for tokens 0 .. T - 1, said in numbers with dtype and
  /// device of `like`, so that fused attention can do it. Nothing, unless overridden: then attention is not fused.
  virtual std::optional<AttentionPositions> in_numbers(std::int64_t T, const torch::Tensor& like) const;
};

/// A row of the table.
struct PositionKind {
  std::string name;
  std::shared_ptr<Positions> (*make)(const ModelConfig& config);
  std::int64_t (*parameter_count)(const ModelConfig& config) = [](const ModelConfig&) { return std::int64_t{0}; };
  void (*validate)(const ModelConfig& config, Problems& problems) = [](const ModelConfig&, Problems&) {};
};

const std::vector<PositionKind>& position_kinds();
/// The row with this name, or null.
const PositionKind* find_position_kind(const std::string& name);

}  // namespace tinylm
