// The fused feed-forward sublayer against the composition of the definitions, in float64 where nothing is dropped.
#include "model/ops/feed_forward.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/torch.h"
#include "model/feed_forward_cases.h"
#include "testing/fused.h"

namespace tinylm::ops {
namespace {

using tinylm::testing::at_each_instruction_set;
using tinylm::testing::close_by_scale;
using tinylm::testing::Draw;
using tinylm::testing::expect_reproducible;
using tinylm::testing::gradients_match;
using tinylm::testing::products_agree_across_threads;
using tinylm::testing::tensors_equal;

constexpr auto kFused = [](const auto&... arguments) { return feed_forward(arguments...); };

TEST(FeedForward, AgreesWithItsDefinitionsForManyShapes) {
  at_each_instruction_set([] {
    torch::manual_seed(1);
    Draw draw(1);
    for (int i = 0; i < 220; ++i) {
      const SublayerSizes sizes{draw.between(1, 4), draw.between(1, 24), draw.one_of({2, 5, 8, 17, 32, 64, 100}),
                                draw.one_of({1, 3, 16, 31, 64, 130})};
      const SublayerCase c = make_sublayer_case(draw, sizes);
      ASSERT_TRUE(can_fuse_feed_forward(Ops::kAuto, c.x, c.weights));
      const auto found = sublayer_results(c, torch::kFloat32, kFused);
      const auto expected = sublayer_results(c, torch::kFloat64, composed);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t k = 0; k < expected.size(); ++k)
        ASSERT_TRUE(close_by_scale(found[k], expected[k], 1e-4)) << "case " << i << " result " << k;
    }
  });
}

TEST(FeedForward, HasATwinWhoseGradientsMatchFiniteDifferences) {
  torch::manual_seed(2);
  Draw draw(2);
  for (int i = 0; i < 6; ++i) {
    SublayerCase c = make_sublayer_case(draw, {2, 2, 4, 3}, torch::kFloat64);
    std::vector<torch::Tensor> inputs;
    for (const torch::Tensor* tensor : tensors_of(c.x, c.weights)) inputs.push_back(*tensor);
    const auto function = [&](const std::vector<torch::Tensor>& values) {
      torch::Tensor x = c.x;
      FeedForwardWeights weights = c.weights;
      const auto all = tensors_of(x, weights);
      for (std::size_t k = 0; k < all.size(); ++k) *all[k] = values[k];
      return composed(x, weights, c.dropout, kSite);
    };
    EXPECT_TRUE(gradients_match(function, inputs, 1e-5)) << i;
  }
}

TEST(FeedForward, IsReproducible) {
  torch::manual_seed(3);
  Draw draw(3);
  for (int i = 0; i < 6; ++i) {
    const SublayerCase c = make_sublayer_case(draw, {12, 64, 64, 128});
    expect_reproducible([&] { return sublayer_results(c, torch::kFloat32, kFused); },
                        products_agree_across_threads(MatmulInputs::kFloat32));
  }
}

TEST(FeedForward, GivesTheSameWithoutGradients) {
  torch::manual_seed(4);
  Draw draw(4);
  for (int i = 0; i < 12; ++i) {
    const SublayerCase c = make_sublayer_case(draw, {2, 7, 32, 64});
    const torch::Tensor with = sublayer_results(c, torch::kFloat32, kFused)[0];
    const torch::NoGradGuard no_gradients;
    EXPECT_TRUE(tensors_equal(feed_forward(c.x, c.weights, c.dropout, kSite), with));
  }
}

TEST(FeedForward, TakesStridedInputsAndLeavesThemAlone) {
  torch::manual_seed(5);
  Draw draw(5);
  SublayerCase c = make_sublayer_case(draw, {3, 6, 16, 24});
  const SublayerCase dense = c;
  c.x = c.x.transpose(0, 1).contiguous().transpose(0, 1);
  c.weights.expand = c.weights.expand.t().contiguous().t();
  const torch::Tensor before = c.x.clone();
  EXPECT_TRUE(tensors_equal(feed_forward(c.x, c.weights, c.dropout, kSite),
                            feed_forward(dense.x, dense.weights, dense.dropout, kSite)));
  EXPECT_TRUE(tensors_equal(c.x, before));
}

TEST(FeedForward, CanBeDifferentiatedTwiceWhenTheGraphIsKept) {
  torch::manual_seed(6);
  Draw draw(6);
  const SublayerCase c = make_sublayer_case(draw, {2, 5, 16, 32});
  const torch::Tensor x = c.x.detach().requires_grad_(true);
  const torch::Tensor y = feed_forward(x, c.weights, c.dropout, kSite);
  y.backward(c.dy, /*retain_graph=*/true);
  const torch::Tensor once = x.grad().clone();
  x.mutable_grad() = torch::Tensor();
  y.backward(c.dy);
  EXPECT_TRUE(tensors_equal(x.grad(), once));
}

TEST(FeedForward, IsComposedForOtherDtypesAndUnderPlain) {
  torch::manual_seed(7);
  Draw draw(7);
  const SublayerCase c = make_sublayer_case(draw, {1, 2, 8, 8});
  EXPECT_FALSE(can_fuse_feed_forward(Ops::kPlain, c.x, c.weights));
  EXPECT_FALSE(can_fuse_feed_forward(Ops::kAuto, c.x.to(torch::kFloat64), c.weights));
}

}  // namespace
}  // namespace tinylm::ops
