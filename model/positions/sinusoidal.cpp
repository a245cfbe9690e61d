// Fixed sines and cosines of geometrically spaced wavelengths, added to the token embedding (Vaswani et al. 2017,
// section 3.5): PE(t, 2i) = sin(t / 10000^(2i/C)), PE(t, 2i+1) = cos(t / 10000^(2i/C)).
#include <cmath>

#include "model/positions.h"
#include "model/positions/fixed_table.h"

namespace tinylm {
namespace {

torch::Tensor sinusoids(std::int64_t context, std::int64_t width) {
  torch::Tensor table = torch::empty({context, width}, torch::kFloat64);
  auto values = table.accessor<double, 2>();
  for (std::int64_t t = 0; t < context; ++t) {
    for (std::int64_t c = 0; c < width; ++c) {
      const double exponent = static_cast<double>(c - c % 2) / static_cast<double>(width);
      const double angle = static_cast<double>(t) / std::pow(10000.0, exponent);
      values[t][c] = c % 2 == 0 ? std::sin(angle) : std::cos(angle);
    }
  }
  return table;
}

class SinusoidalPositions : public Positions {
 public:
  explicit SinusoidalPositions(const ModelConfig& config) : table_(sinusoids(config.context, config.width)) {}
  torch::Tensor added(std::int64_t first, std::int64_t T, const torch::Tensor& like) const override {
    return table_.like(like).narrow(0, first, T);  // [T, C]
  }
  std::optional<AttentionPositions> in_numbers(std::int64_t, const torch::Tensor&) const override {
    return AttentionPositions{};  // attention itself knows no positions
  }

 private:
  FixedTable table_;  // [context, C]
};

}  // namespace

PositionKind sinusoidal_positions() {
  return {.name = "sinusoidal", .make = [](const ModelConfig& config) -> std::shared_ptr<Positions> {
            return std::make_shared<SinusoidalPositions>(config);
          }};
}

}  // namespace tinylm
