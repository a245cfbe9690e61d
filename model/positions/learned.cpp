// A trained vector for each position, added to the token embedding (Vaswani et al. 2017, section 3.5; GPT-2).
#include "model/positions.h"

namespace tinylm {
namespace {

class LearnedPositions : public Positions {
 public:
  explicit LearnedPositions(const ModelConfig& config) {
    weight_ = register_parameter("weight", torch::empty({config.context, config.width}));
  }
  torch::Tensor added(std::int64_t first, std::int64_t T, const torch::Tensor&) const override {
    return weight_.narrow(0, first, T);  // [T, C]
  }
  std::optional<AttentionPositions> in_numbers(std::int64_t, const torch::Tensor&) const override {
    return AttentionPositions{};  // attention itself knows no positions
  }

 private:
  torch::Tensor weight_;  // [context, C]
};

}  // namespace

PositionKind learned_positions() {
  return {.name = "learned",
          .make = [](const ModelConfig& config) -> std::shared_ptr<Positions> {
            return std::make_shared<LearnedPositions>(config);
          },
          .parameter_count = [](const ModelConfig& config) { return config.context * config.width; }};
}

}  // namespace tinylm
