#include "model/positions.h"

#include <algorithm>

namespace tinylm {

PositionKind learned_positions();
PositionKind sinusoidal_positions();
PositionKind rope_positions();
PositionKind alibi_positions();
PositionKind no_positions();

const std::vector<PositionKind>& position_kinds() {
  static const std::vector<PositionKind> kinds = {learned_positions(), sinusoidal_positions(), rope_positions(),
                                                  alibi_positions(), no_positions()};
  return kinds;
}

const PositionKind* find_position_kind(const std::string& name) {
  const auto& kinds = position_kinds();
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const PositionKind& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

torch::Tensor Positions::added(std::int64_t, std::int64_t, const torch::Tensor&) const {
  return {};
}

torch::Tensor Positions::rotate(const torch::Tensor& x, std::int64_t) const {
  return x;
}

torch::Tensor Positions::score_bias(std::int64_t, std::int64_t, const torch::TensorOptions&) const {
  return {};
}

std::optional<AttentionPositions> Positions::in_numbers(std::int64_t, const torch::Tensor&) const {
  return std::nullopt;
}

}  // namespace tinylm
