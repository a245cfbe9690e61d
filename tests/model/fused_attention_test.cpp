// The fused attention half of a block against its plain twin, which is computed in float64.
#include "model/ops/attention_sublayer.h"

#include <gtest/gtest.h>

#include <vector>

#include "model/attention_sublayer_case.h"
#include "model/ops/dispatch.h"
#include "testing/fused.h"
#include "testing/tensors.h"

namespace tinylm::ops {
namespace {

using tinylm::testing::close_by_scale;
using tinylm::testing::tensors_equal;

TEST(AttentionSublayer, EqualsItsTwinForwardAndBackward) {
  tinylm::testing::Draw draw(2);
  for (int n = 0; n < kCases; ++n) {
    const Case c = random_case(draw);
    torch::manual_seed(n);
    AttentionSublayerCase fused(c, torch::kFloat32);
    torch::manual_seed(n);
    AttentionSublayerCase plain(c, torch::kFloat64);
    const torch::Tensor x = torch::randn({c.B, c.T, c.H * c.D}), dy = torch::randn(x.sizes());
    const auto found = fused.run(x, dy, plan_of(c), Ops::kAuto);
    const auto expected = plain.run(x.to(torch::kFloat64), dy.to(torch::kFloat64), plan_of(c), Ops::kPlain);
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_TRUE(close_by_scale(found[0], expected[0], 1e-5)) << c.text();
    for (std::size_t i = 1; i < expected.size(); ++i)
      EXPECT_TRUE(close_by_scale(found[i], expected[i], 3e-5)) << i << " " << c.text();
  }
}

TEST(AttentionSublayer, GivesTheSameWithoutAGradient) {
  torch::manual_seed(8);
  const Case c{2, 70, 4, 2, 16, "rope", true, true, NormKind::kLayerNorm, 0.0};
  AttentionSublayerCase layer(c, torch::kFloat32);
  const torch::Tensor x = torch::randn({c.B, c.T, c.H * c.D});
  const torch::Tensor trained = layer.run(x, torch::randn(x.sizes()), {}, Ops::kAuto)[0];
  const torch::NoGradGuard no_gradient;
  const ForwardOptions options;
  const ForwardPass pass{.options = options,
                         .ops = Ops::kAuto,
                         .first_position = 0,
                         .positions = *layer.positions,
                         .fused = layer.positions->in_numbers(c.T, x),
                         .mask = {}};
  EXPECT_TRUE(tensors_equal(layer.attention->add_fused(x, *layer.norm, pass), trained));
}

TEST(AttentionSublayer, TakesStridedInputsAndGradients) {
  torch::manual_seed(9);
  const Case c{3, 20, 2, 2, 8, "none", false, true, NormKind::kLayerNorm, 0.0};
  AttentionSublayerCase layer(c, torch::kFloat32);
  const torch::Tensor x = torch::randn({20, 3, 16}).transpose(0, 1), dy = torch::randn({16, 20, 3}).permute({2, 1, 0});
  const auto strided = layer.run(x, dy, {}, Ops::kAuto);
  const auto dense = layer.run(x.contiguous(), dy.contiguous(), {}, Ops::kAuto);
  for (std::size_t i = 0; i < dense.size(); ++i) EXPECT_TRUE(tensors_equal(strided[i].contiguous(), dense[i])) << i;
}

TEST(Dispatch, ComposesAttentionForWhatTheFusedOneCannotDo) {
  const torch::Tensor x = torch::zeros({1}), wide = torch::zeros({1}, torch::kFloat64);
  EXPECT_TRUE(use_fast(Ops::kAuto, Operation::kAttention, {x}));
  EXPECT_FALSE(use_fast(Ops::kPlain, Operation::kAttention, {x}));
  EXPECT_FALSE(use_fast(Ops::kAuto, Operation::kAttention, {wide}));
  for (const unsigned wish : {kTraced, kCached, kLaterKeys, kOwnPositions})
    EXPECT_FALSE(use_fast(Ops::kAuto, Operation::kAttention, {x}, wish)) << wish;
}

}  // namespace
}  // namespace tinylm::ops
