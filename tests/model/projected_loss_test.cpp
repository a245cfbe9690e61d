// The output projection and loss as one against next_token_loss() of linear() in float64, whose gradients
// definitions_test.cpp compares with finite differences.
#include "model/ops/projected_loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/errors.h"
#include "core/torch.h"
#include "data/batch.h"
#include "model/projected_loss_cases.h"
#include "test_support.h"
#include "testing/fused.h"

namespace tinylm::ops {
namespace {

using tinylm::testing::at_each_instruction_set;
using tinylm::testing::close_by_scale;
using tinylm::testing::Draw;
using tinylm::testing::expect_reproducible;
using tinylm::testing::products_agree_across_threads;
using tinylm::testing::tensors_equal;

TEST(ProjectedLoss, AgreesWithItsDefinitionsForManyShapes) {
  at_each_instruction_set([] {
    torch::manual_seed(1);
    Draw draw(1);
    for (int i = 0; i < 220; ++i) {
      const LossCase c = make_loss_case(draw, draw.between(1, 5), draw.between(1, 40), draw.one_of({1, 3, 16, 33, 64}),
                                        draw.one_of({1, 2, 7, 16, 65, 100, 257}));
      const auto found = loss_results(c, torch::kFloat32, Ops::kAuto, 0.5),
                 expected = loss_results(c, torch::kFloat64, Ops::kPlain, 0.5);
      for (std::size_t k = 0; k < expected.size(); ++k)
        ASSERT_TRUE(close_by_scale(found[k], expected[k], 2e-5)) << "case " << i << " result " << k;
    }
  });
}

TEST(ProjectedLoss, AgreesInSeveralParts) {
  torch::manual_seed(2);
  Draw draw(2);
  const LossCase c = make_loss_case(draw, 3, 111, 4, 131'071);  // 2^24 / V = 128 rows at a time, of 333
  const auto found = loss_results(c, torch::kFloat32, Ops::kAuto),
             expected = loss_results(c, torch::kFloat64, Ops::kPlain);
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_TRUE(close_by_scale(found[k], expected[k], 2e-5)) << k;
}

TEST(ProjectedLoss, IsReproducible) {
  torch::manual_seed(3);
  Draw draw(3);
  for (int i = 0; i < 4; ++i) {
    const LossCase c = make_loss_case(draw, 12, 64, 32, 65);
    expect_reproducible([&] { return loss_results(c, torch::kFloat32, Ops::kAuto); },
                        products_agree_across_threads(MatmulInputs::kFloat32));
  }
}

TEST(ProjectedLoss, NeedsNoGradients) {
  torch::manual_seed(4);
  Draw draw(4);
  const LossCase c = make_loss_case(draw, 2, 9, 16, 30);
  const torch::Tensor with = loss_results(c, torch::kFloat32, Ops::kAuto)[0];
  const torch::NoGradGuard no_gradients;
  EXPECT_TRUE(close_by_scale(projected_loss(c.hidden, c.weight, c.targets, Ops::kAuto), with, 1e-7));
}

TEST(ProjectedLoss, GivesTheLossOfEachPlaceAsItsDefinitionsDo) {
  at_each_instruction_set([] {
    torch::manual_seed(6);
    Draw draw(6);
    const torch::NoGradGuard no_gradients;
    for (int i = 0; i < 60; ++i) {
      const LossCase c = make_loss_case(draw, draw.between(1, 5), draw.between(1, 40), draw.one_of({1, 16, 33}),
                                        draw.one_of({1, 2, 65, 257}));
      const torch::Tensor found = projected_loss(c.hidden, c.weight, c.targets, Ops::kAuto, LossReduction::kNone);
      const torch::Tensor expected = projected_loss(c.hidden.to(torch::kFloat64), c.weight.to(torch::kFloat64),
                                                    c.targets, Ops::kPlain, LossReduction::kNone);
      ASSERT_EQ(found.sizes(), c.targets.sizes());
      ASSERT_TRUE(close_by_scale(found, expected, 2e-5)) << "case " << i;
    }
  });
}

TEST(ProjectedLoss, OfEachPlaceCanBeDifferentiated) {
  torch::manual_seed(7);
  const torch::Tensor hidden = torch::randn({1, 3, 4}).requires_grad_(true), weight = torch::randn({5, 4}),
                      targets = torch::tensor({{4L, 0L, 2L}}, torch::kInt64);
  const auto gradient = [&](const torch::Tensor& loss) {
    hidden.mutable_grad() = torch::Tensor();
    loss.backward();
    return hidden.grad();
  };
  const torch::Tensor of_mean = gradient(projected_loss(hidden, weight, targets, Ops::kAuto));
  EXPECT_TRUE(close_by_scale(gradient(projected_loss(hidden, weight, targets, Ops::kAuto, LossReduction::kNone).mean()),
                             of_mean, 1e-6));
}

TEST(ProjectedLoss, OfNoPlacesIsNaNAsAMeanAndZeroAtEachOfThem) {
  const torch::Tensor hidden = torch::randn({1, 2, 4}).requires_grad_(true), weight = torch::randn({5, 4}),
                      none = torch::full({1, 2}, kIgnoredTarget, torch::kInt64);
  const torch::Tensor mean = projected_loss(hidden, weight, none, Ops::kAuto);
  EXPECT_TRUE(std::isnan(mean.item<float>()));
  const torch::NoGradGuard no_gradients;
  EXPECT_TRUE(
      tensors_equal(projected_loss(hidden, weight, none, Ops::kAuto, LossReduction::kNone), torch::zeros({1, 2})));
}

TEST(ProjectedLoss, IsNaNWhenAnythingIsNaN) {
  torch::Tensor hidden = torch::randn({1, 3, 4}), weight = torch::randn({5, 4});
  hidden[0][1][2] = std::numeric_limits<float>::quiet_NaN();
  const torch::Tensor targets = torch::zeros({1, 3}, torch::kInt64);
  EXPECT_TRUE(std::isnan(projected_loss(hidden, weight, targets, Ops::kAuto).item<float>()));
  EXPECT_TRUE(
      std::isnan(projected_loss(weight.unsqueeze(0), hidden[0], targets.narrow(1, 0, 1).expand({1, 5}), Ops::kAuto)
                     .item<float>()));
}

TEST(ProjectedLoss, RefusesTargetsOutsideTheVocabulary) {
  const torch::Tensor hidden = torch::randn({1, 2, 4}), weight = torch::randn({5, 4}),
                      targets = torch::tensor({{4L, 5L}}, torch::kInt64);
  EXPECT_EQ(test::message_of<BadInput>([&] { projected_loss(hidden, weight, targets, Ops::kAuto); }),
            "target 5 is outside the vocabulary of 5");
}

TEST(ProjectedLoss, CanBeDifferentiatedTwiceWhenTheGraphIsKept) {
  torch::manual_seed(5);
  const torch::Tensor hidden = torch::randn({1, 3, 4}).requires_grad_(true), weight = torch::randn({5, 4}),
                      targets = torch::zeros({1, 3}, torch::kInt64);
  const torch::Tensor loss = projected_loss(hidden, weight, targets, Ops::kAuto);
  loss.backward({}, /*retain_graph=*/true);
  const torch::Tensor once = hidden.grad().clone();
  loss.backward();
  EXPECT_TRUE(tensors_equal(hidden.grad(), once * 2));
}

}  // namespace
}  // namespace tinylm::ops
