// Attention with linear biases (Press, Smith & Lewis 2022): head h lowers the score of a key by slope[h] for every
// token between the two. With H a power of two the slopes are 2^(-8/H), 2^(-16/H), ...; else those of the power of two
// below, then every second one of the power of two above.
#include <cmath>

#include "model/positions.h"
#include "model/positions/fixed_table.h"

namespace tinylm {
namespace {

std::vector<double> slopes(std::int64_t heads) {
  std::int64_t power = 1;
  while (2 * power <= heads) power *= 2;
  std::vector<double> result;
  for (std::int64_t h = 1; h <= power; ++h)
    result.push_back(std::exp2(-8.0 * static_cast<double>(h) / static_cast<double>(power)));
  for (std::int64_t h = 1; static_cast<std::int64_t>(result.size()) < heads; h += 2)
    result.push_back(std::exp2(-4.0 * static_cast<double>(h) / static_cast<double>(power)));
  return result;
}

class LinearBiases : public Positions {
 public:
  explicit LinearBiases(const ModelConfig& config)
      : slopes_(torch::tensor(slopes(config.heads), torch::kFloat64).view({-1, 1, 1})) {}

  torch::Tensor score_bias(std::int64_t first, std::int64_t Tq, const torch::TensorOptions& options) const override {
    const torch::Tensor keys = torch::arange(first + Tq, options);
    const torch::Tensor queries = torch::arange(first, first + Tq, options).unsqueeze(-1);
    return slopes_.like(keys) * -(keys - queries).abs();  // [H, Tq, first + Tq]
  }
  std::optional<AttentionPositions> in_numbers(std::int64_t, const torch::Tensor& like) const override {
    return AttentionPositions{.cosines = {}, .sines = {}, .slopes = slopes_.like(like).view({-1})};  // [H]
  }

 private:
  FixedTable slopes_;  // [H, 1, 1]
};

}  // namespace

PositionKind alibi_positions() {
  return {.name = "alibi", .make = [](const ModelConfig& config) -> std::shared_ptr<Positions> {
            return std::make_shared<LinearBiases>(config);
          }};
}

}  // namespace tinylm
