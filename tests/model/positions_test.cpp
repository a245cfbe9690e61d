#include "model/positions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/model.h"
#include "testing/models.h"
#include "testing/tensors.h"

namespace tinylm {
namespace {

using tinylm::testing::small_config;
using tinylm::testing::tensors_close;

std::shared_ptr<Positions> make(const ModelConfig& config) {
  return find_position_kind(config.positions)->make(config);
}

TEST(Positions, AreFoundByName) {
  EXPECT_EQ(position_kinds().size(), 5U);
  EXPECT_EQ(find_position_kind("rope")->name, "rope");
  EXPECT_EQ(find_position_kind("rotary"), nullptr);
}

TEST(SinusoidalPositions, AreTheSinesAndCosinesOfThePaper) {
  const torch::Tensor table =
      make(small_config("sinusoidal"))->added(5, 2, torch::empty({0}, torch::kFloat64));  // [2, 32]
  for (std::int64_t t = 0; t < 2; ++t)
    for (std::int64_t i = 0; i < 16; ++i) {
      const double angle = static_cast<double>(5 + t) / std::pow(10000.0, 2.0 * static_cast<double>(i) / 32.0);
      EXPECT_NEAR(table[t][2 * i].item<double>(), std::sin(angle), 1e-14);
      EXPECT_NEAR(table[t][2 * i + 1].item<double>(), std::cos(angle), 1e-14);
    }
}

TEST(LearnedPositions, AddTheRowOfEachPosition) {
  const auto positions = make(small_config("learned"));
  const torch::Tensor weight = positions->named_parameters()["weight"];
  const torch::NoGradGuard no_gradient;
  weight.copy_(torch::arange(16 * 32).view({16, 32}));
  EXPECT_TRUE(tensors_close(positions->added(4, 3, weight), weight.slice(0, 4, 7), 0.0));
}

TEST(RotaryPositions, TurnEachPairByItsAngle) {
  torch::manual_seed(1);
  const torch::Tensor x = torch::randn({1, 1, 3, 8}, torch::kFloat64);  // D = 8
  const torch::Tensor turned = make(small_config("rope"))->rotate(x, 2);
  for (std::int64_t t = 0; t < 3; ++t)
    for (std::int64_t i = 0; i < 4; ++i) {
      const double angle = static_cast<double>(2 + t) * std::pow(10000.0, -2.0 * static_cast<double>(i) / 8.0);
      const double one = x[0][0][t][i].item<double>(), other = x[0][0][t][i + 4].item<double>();
      EXPECT_NEAR(turned[0][0][t][i].item<double>(), one * std::cos(angle) - other * std::sin(angle), 1e-14);
      EXPECT_NEAR(turned[0][0][t][i + 4].item<double>(), one * std::sin(angle) + other * std::cos(angle), 1e-14);
    }
}

TEST(RotaryPositions, MakeDotProductsDependOnTheDistanceAlone) {
  torch::manual_seed(2);
  const auto positions = make(small_config("rope"));
  const torch::Tensor q = torch::randn({1, 1, 1, 8}, torch::kFloat64), k = torch::randn({1, 1, 1, 8}, torch::kFloat64);
  const auto dot = [&](std::int64_t i, std::int64_t j) {
    return (positions->rotate(q, i) * positions->rotate(k, j)).sum().item<double>();
  };
  EXPECT_NEAR(dot(7, 3), dot(12, 8), 1e-12);
  EXPECT_GT(std::abs(dot(7, 3) - dot(7, 4)), 1e-3);
}

TEST(LinearBiases, FallByTheSlopeForEveryTokenBetween) {
  const torch::Tensor bias = make(small_config("alibi"))->score_bias(2, 3, torch::kFloat64);  // [4, 3, 5]
  ASSERT_EQ(bias.sizes().vec(), (std::vector<std::int64_t>{4, 3, 5}));
  for (std::int64_t h = 0; h < 4; ++h)
    for (std::int64_t i = 0; i < 3; ++i)
      for (std::int64_t j = 0; j <= 2 + i; ++j) {
        const double slope = std::pow(2.0, -2.0 * static_cast<double>(h + 1));  // 2^(-8 h / 4)
        EXPECT_DOUBLE_EQ(bias[h][i][j].item<double>(), -slope * static_cast<double>(2 + i - j));
      }
}

TEST(LinearBiases, SlopesOfSixHeadsAreThoseOfFourAndEverySecondOfEight) {
  ModelConfig config = small_config("alibi");
  config.heads = 6;
  config.width = 36;
  const torch::Tensor bias = make(config)->score_bias(1, 1, torch::kFloat64);  // distance 1: minus the slope
  const torch::Tensor expected = torch::tensor({-0.25, -0.0625, -0.015625, -0.00390625, -0.5, -0.125}, torch::kFloat64);
  EXPECT_TRUE(tensors_close(bias.slice(2, 0, 1).flatten(), expected, 1e-15));
}

/// Logits of the last token for a text and for the same text with its earlier tokens in another order, in one layer.
std::pair<torch::Tensor, torch::Tensor> last_logits_of_two_orders(const std::string& positions) {
  ModelConfig config = small_config(positions);
  config.layers = 1;
  LanguageModel model(config, 7);
  model->to(torch::kFloat64);
  const torch::NoGradGuard no_gradient;
  for (torch::Tensor& parameter : model->parameters()) parameter.mul_(5.0);  // so that attention is far from uniform
  const torch::Tensor one = torch::tensor({{3, 1, 4, 15, 9, 2, 6}}, torch::kInt64);
  const torch::Tensor other = torch::tensor({{9, 4, 2, 1, 3, 15, 6}}, torch::kInt64);
  return {model->forward(one)[0][6], model->forward(other)[0][6]};
}

TEST(Positions, OrderDoesNotMatterWithoutThemAndDoesWithThem) {
  const auto [one, other] = last_logits_of_two_orders("none");
  EXPECT_TRUE(tensors_close(one, other, 1e-12));
  for (const char* kind : {"learned", "sinusoidal", "rope", "alibi"}) {
    const auto [first, second] = last_logits_of_two_orders(kind);
    EXPECT_GT((first - second).abs().max().item<double>(), 1e-4) << kind;
  }
}

}  // namespace
}  // namespace tinylm
