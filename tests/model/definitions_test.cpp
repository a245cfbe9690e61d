// Norms, activations and the loss against their formulas, and all gradients against finite differences.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/torch.h"
#include "data/batch.h"
#include "model/ops/activations.h"
#include "model/ops/linear.h"
#include "model/ops/loss.h"
#include "model/ops/norms.h"
#include "model/ops/product.h"
#include "testing/tensors.h"

namespace tinylm::ops {
namespace {

using tinylm::testing::gradients_match;
using tinylm::testing::tensors_close;

using Inputs = std::vector<torch::Tensor>;

torch::Tensor doubles(std::vector<double> values) {
  return torch::tensor(values, torch::kFloat64);
}

TEST(LayerNorm, SubtractsTheMeanAndDividesByTheDeviation) {
  // (1, 2, 3, 6): mean 3, variance (4 + 1 + 0 + 9) / 4 = 3.5.
  const double deviation = std::sqrt(3.5 + kNormEpsilon);
  const torch::Tensor weight = doubles({1.0, 2.0, 1.0, 0.5}), bias = doubles({0.0, 0.0, 7.0, 1.0});
  EXPECT_TRUE(tensors_close(layer_norm(doubles({1.0, 2.0, 3.0, 6.0}), weight, bias),
                            doubles({-2.0 / deviation, -2.0 / deviation, 7.0, 1.5 / deviation + 1.0}), 1e-14));
}

TEST(LayerNorm, WorksWithoutABias) {
  const torch::Tensor x = doubles({1.0, 2.0, 3.0, 6.0}), ones = torch::ones({4}, torch::kFloat64);
  EXPECT_TRUE(tensors_close(layer_norm(x, ones, {}), layer_norm(x, ones, torch::zeros({4}, torch::kFloat64)), 1e-15));
}

TEST(RmsNorm, DividesByTheRootOfTheMeanSquare) {
  // (1, 2, 3, 4): mean square 30 / 4.
  const double root = std::sqrt(7.5 + kNormEpsilon);
  EXPECT_TRUE(tensors_close(rms_norm(doubles({1.0, 2.0, 3.0, 4.0}), doubles({1.0, 1.0, 2.0, 1.0})),
                            doubles({1 / root, 2 / root, 6 / root, 4 / root}), 1e-14));
}

TEST(Activation, GeluIsTheExactOne) {
  const double x = 0.8, phi = 0.5 * (1.0 + std::erf(x / std::sqrt(2.0)));
  EXPECT_TRUE(tensors_close(activation(doubles({x, 0.0}), ActivationKind::kGelu), doubles({x * phi, 0.0}), 1e-15));
}

TEST(Activation, SquaredReluIsZeroBelowZero) {
  EXPECT_TRUE(tensors_close(activation(doubles({-3.0, 0.0, 1.5}), ActivationKind::kSquaredRelu),
                            doubles({0.0, 0.0, 2.25}), 0.0));
}

TEST(Activation, SwiGluGatesTheSecondHalfWithTheFirst) {
  const double gate = 2.0 / (1.0 + std::exp(-2.0));
  EXPECT_TRUE(tensors_close(activation(doubles({2.0, 0.0, 3.0, 5.0}), ActivationKind::kSwiGlu),
                            doubles({3.0 * gate, 0.0}), 1e-15));
  EXPECT_EQ(activation_inputs(ActivationKind::kSwiGlu), 2);
  EXPECT_EQ(activation_inputs(ActivationKind::kGelu), 1);
}

TEST(NextTokenLoss, IsTheMeanNegativeLogProbability) {
  // Logits (ln 1, ln 3): probabilities 1/4 and 3/4.
  const torch::Tensor logits = torch::tensor({{{0.0F, std::log(3.0F)}, {0.0F, std::log(3.0F)}}});
  const torch::Tensor targets = torch::tensor({{0, 1}}, torch::kInt64);
  EXPECT_NEAR(next_token_loss(logits, targets).item<double>(), (std::log(4.0) + std::log(4.0 / 3.0)) / 2, 1e-6);
  const torch::Tensor each = next_token_loss(logits, targets, LossReduction::kNone);
  EXPECT_TRUE(
      tensors_close(each.to(torch::kFloat64), doubles({std::log(4.0), std::log(4.0 / 3.0)}).view({1, 2}), 1e-6));
}

TEST(NextTokenLoss, PassesOverIgnoredTargets) {
  const torch::Tensor logits = torch::tensor({{{0.0F, std::log(3.0F)}, {0.0F, std::log(3.0F)}}});
  const torch::Tensor targets = torch::tensor({{0L, static_cast<long>(kIgnoredTarget)}}, torch::kInt64);
  EXPECT_NEAR(next_token_loss(logits, targets).item<double>(), std::log(4.0), 1e-6);
  const torch::Tensor each = next_token_loss(logits, targets, LossReduction::kNone);
  EXPECT_TRUE(tensors_close(each.to(torch::kFloat64), doubles({std::log(4.0), 0.0}).view({1, 2}), 1e-6));
  const torch::Tensor none = torch::full({1, 2}, kIgnoredTarget, torch::kInt64);
  EXPECT_TRUE(std::isnan(next_token_loss(logits, none).item<double>()));
  EXPECT_TRUE(tensors_close(next_token_loss(logits, none, LossReduction::kNone), torch::zeros({1, 2}), 0.0));
}

TEST(NextTokenLoss, IsComputedInFloat32AtLeast) {
  const torch::Tensor targets = torch::zeros({1, 2}, torch::kInt64);
  EXPECT_EQ(next_token_loss(torch::zeros({1, 2, 3}, torch::kBFloat16), targets).scalar_type(), torch::kFloat32);
  EXPECT_EQ(next_token_loss(torch::zeros({1, 2, 3}, torch::kFloat64), targets).scalar_type(), torch::kFloat64);
}

TEST(Gradients, OfEveryDefinitionMatchFiniteDifferences) {
  torch::manual_seed(1);
  const auto random = [](std::vector<std::int64_t> shape) { return torch::randn(shape, torch::kFloat64); };
  const torch::Tensor targets = torch::tensor({{2L, 0L, static_cast<long>(kIgnoredTarget)}}, torch::kInt64);
  EXPECT_TRUE(gradients_match([](const Inputs& x) { return layer_norm(x[0], x[1], x[2]); },
                              {random({3, 5}), random({5}), random({5})}));
  EXPECT_TRUE(gradients_match([](const Inputs& x) { return rms_norm(x[0], x[1]); }, {random({3, 5}), random({5})}));
  EXPECT_TRUE(
      gradients_match([](const Inputs& x) { return activation(x[0], ActivationKind::kGelu); }, {random({3, 6})}));
  EXPECT_TRUE(gradients_match([](const Inputs& x) { return activation(x[0], ActivationKind::kSquaredRelu); },
                              {random({3, 6})}));
  EXPECT_TRUE(
      gradients_match([](const Inputs& x) { return activation(x[0], ActivationKind::kSwiGlu); }, {random({3, 6})}));
  EXPECT_TRUE(gradients_match([&](const Inputs& x) { return next_token_loss(x[0], targets); }, {random({1, 3, 4})}));
  EXPECT_TRUE(gradients_match([&](const Inputs& x) { return next_token_loss(x[0], targets, LossReduction::kNone); },
                              {random({1, 3, 4})}));
  EXPECT_TRUE(gradients_match([](const Inputs& x) { return linear(x[0], x[1], x[2], Ops::kPlain); },
                              {random({2, 3}), random({4, 3}), random({4})}));
  EXPECT_TRUE(gradients_match([](const Inputs& x) { return product(x[0], x[1], 0.3, Ops::kPlain); },
                              {random({2, 3, 4}), random({2, 4, 2})}));
}

}  // namespace
}  // namespace tinylm::ops
