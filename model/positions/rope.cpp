// Rotary positions (Su et al. 2021): the pair (x[i], x[i + D/2]) of every query and key turns by the angle t /
// 10000^(2i/D), so that a dot product depends on the distance of the two positions alone. Pairs stand half a head
// apart, as in Llama's weights.
#include <cmath>

#include "core/errors.h"
#include "model/positions.h"
#include "model/positions/fixed_table.h"

namespace tinylm {
namespace {

/// Angles [context, D/2] of each position and pair.
torch::Tensor angles(std::int64_t context, std::int64_t head_size) {
  torch::Tensor table = torch::empty({context, head_size / 2}, torch::kFloat64);
  auto values = table.accessor<double, 2>();
  for (std::int64_t t = 0; t < context; ++t)
    for (std::int64_t i = 0; i < head_size / 2; ++i)
      values[t][i] =
          static_cast<double>(t) * std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(head_size));
  return table;
}

class RotaryPositions : public Positions {
 public:
  explicit RotaryPositions(const ModelConfig& config)
      : cosines_(angles(config.context, config.head_size()).cos()),
        sines_(angles(config.context, config.head_size()).sin()) {}

  torch::Tensor rotate(const torch::Tensor& x, std::int64_t first) const override {
    const std::int64_t T = x.size(-2);
    const torch::Tensor cosine = cosines_.like(x).narrow(0, first, T);  // [T, D/2]
    const torch::Tensor sine = sines_.like(x).narrow(0, first, T);
    const std::vector<torch::Tensor> halves = x.chunk(2, -1);  // 2 x [B, heads, T, D/2]
    return torch::cat({halves[0] * cosine - halves[1] * sine, halves[0] * sine + halves[1] * cosine}, -1);
  }
  std::optional<AttentionPositions> in_numbers(std::int64_t T, const torch::Tensor& like) const override {
    return AttentionPositions{.cosines = cosines_.like(like).narrow(0, 0, T),  // [T, D/2]
                              .sines = sines_.like(like).narrow(0, 0, T),
                              .slopes = {}};
  }

 private:
  FixedTable cosines_, sines_;  // [context, D/2]
};

void validate(const ModelConfig& config, Problems& problems) {
  problems.require(config.head_size() % 2 == 0,
                   "positions rope turns pairs of numbers and needs an even head size, but width " +
                       std::to_string(config.width) + " / heads " + std::to_string(config.heads) + " is " +
                       std::to_string(config.head_size()) + ": choose another width or number of heads");
}

}  // namespace

PositionKind rope_positions() {
  return {.name = "rope",
          .make = [](const ModelConfig& config) -> std::shared_ptr<Positions> {
            return std::make_shared<RotaryPositions>(config);
          },
          .validate = validate};
}

}  // namespace tinylm
