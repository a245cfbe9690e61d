// A trained vector for each position, added to the token embedding (Vaswani et al. 2017, section 3.5; GPT-2).
#include "model/positions.h"

namespace tinylm {
namespace {

class LearnedPositions : public Positions {
 public:
  explicit LearnedPositions(const ModelConfig& config) {
    weight_ = register_parameter("weight", torch::empty({config.context, config.width}));
  }
  torch::Tensor embed(const torch::Tensor& x, std::int64_t first) const override {
    return x + weight_.narrow(0, first, x.size(1));  // [B, T, C] + [T, C]
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
