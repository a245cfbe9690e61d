// No positional encoding: only the causal mask tells a token where it stands.
#include "model/positions.h"

namespace tinylm {
namespace {

class NoPositions : public Positions {
 public:
  std::optional<AttentionPositions> in_numbers(std::int64_t, const torch::Tensor&) const override {
    return AttentionPositions{};  // attention itself knows no positions
  }
};

}  // namespace

PositionKind no_positions() {
  return {.name = "none",
          .make = [](const ModelConfig&) -> std::shared_ptr<Positions> { return std::make_shared<NoPositions>(); }};
}

}  // namespace tinylm
