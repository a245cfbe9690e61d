// The fused norm as a node of the autograd graph against the definitions in float64, whose gradients
// definitions_test.cpp compares with finite differences.
#include "model/ops/norms.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/torch.h"
#include "testing/fused.h"

namespace tinylm::ops {
namespace {

using tinylm::testing::at_each_instruction_set;
using tinylm::testing::close_by_scale;
using tinylm::testing::Draw;
using tinylm::testing::tensors_equal;

struct NormNodeCase {
  NormKind kind;
  torch::Tensor x, weight, bias, dy;  // bias: undefined for none
  bool learns_x, learns_weights;      // at least one
};

/// `x` [..., C] of up to three leading dimensions, at times with no row at all; dense or not, as `dy` may be.
NormNodeCase random_norm_node(Draw& draw) {
  const std::int64_t C = draw.coin() ? draw.between(1, 40) : draw.one_of({1, 2, 3, 16, 17, 64, 96, 100, 128, 257, 768});
  std::vector<std::int64_t> shape;
  for (std::int64_t dimension = draw.between(0, 3); dimension > 0; --dimension)
    shape.push_back(draw.between(0, 15) == 0 ? 0 : draw.between(1, 7));
  shape.push_back(C);
  const auto random = [&] {
    const torch::Tensor dense = torch::randn(shape);
    return draw.coin() || shape.size() == 1 ? dense : dense.transpose(0, -1).contiguous().transpose(0, -1);
  };
  NormNodeCase c;
  c.kind = draw.coin() ? NormKind::kLayerNorm : NormKind::kRmsNorm;
  c.x = random() * 2 + 0.5;
  c.weight = draw.coin() ? torch::randn({C}) : torch::randn({C, 2}).select(1, 0);
  if (c.kind == NormKind::kLayerNorm && draw.coin()) c.bias = torch::randn({C});
  c.dy = draw.between(0, 3) == 0 ? torch::randn({C}).expand(shape) : random();
  c.learns_x = draw.between(0, 3) != 0;
  c.learns_weights = !c.learns_x || draw.between(0, 3) != 0;
  return c;
}

/// y and the gradients of what is learned.
std::vector<torch::Tensor> norm_results(const NormNodeCase& c, torch::ScalarType dtype, Ops ops) {
  const auto leaf = [&](const torch::Tensor& values, bool learned) {
    return values.defined() ? values.detach().to(dtype).requires_grad_(learned) : torch::Tensor();
  };
  const torch::Tensor x = leaf(c.x, c.learns_x), weight = leaf(c.weight, c.learns_weights),
                      bias = leaf(c.bias, c.learns_weights);
  const torch::Tensor y = norm(c.kind, x, weight, bias, ops);
  y.backward(c.dy.to(dtype));
  std::vector<torch::Tensor> results = {y.detach()};
  for (const torch::Tensor& input : {x, weight, bias})
    if (input.defined() && input.requires_grad()) results.push_back(input.grad());
  return results;
}

TEST(FusedNorm, AgreesWithTheDefinitionForManyShapes) {
  at_each_instruction_set([] {
    torch::manual_seed(31);
    Draw draw(31);
    for (int i = 0; i < 300; ++i) {
      const NormNodeCase c = random_norm_node(draw);
      const auto found = norm_results(c, torch::kFloat32, Ops::kAuto),
                 expected = norm_results(c, torch::kFloat64, Ops::kPlain);
      ASSERT_EQ(found.size(), expected.size());
      const double tolerance = c.x.size(-1) < 8 ? 3e-4 : 4e-6;  // few numbers may differ little: their scale is large
      for (std::size_t k = 0; k < expected.size(); ++k)
        ASSERT_TRUE(close_by_scale(found[k].to(torch::kFloat64), expected[k], tolerance))
            << "case " << i << " result " << k;
    }
  });
}

TEST(FusedNorm, IsOneNodeOfTheGraph) {
  const torch::Tensor x = torch::randn({3, 8}).requires_grad_(true), weight = torch::ones({8});
  const torch::Tensor y = norm(NormKind::kRmsNorm, x, weight, {}, Ops::kAuto);
  EXPECT_NE(y.grad_fn()->name().find("FusedNorm"), std::string::npos) << y.grad_fn()->name();
  EXPECT_EQ(y.grad_fn()->next_edge(0).function->name(), "torch::autograd::AccumulateGrad");
}

TEST(FusedNorm, GivesTheSameWithoutGradientsAndASecondTime) {
  torch::manual_seed(32);
  Draw draw(32);
  for (int i = 0; i < 40; ++i) {
    NormNodeCase c = random_norm_node(draw);
    c.learns_x = true;
    const torch::Tensor x = c.x.detach().requires_grad_(true);
    const torch::Tensor y = norm(c.kind, x, c.weight, c.bias, Ops::kAuto);
    y.backward(c.dy, /*retain_graph=*/true);
    const torch::Tensor once = x.grad().clone();
    x.mutable_grad() = torch::Tensor();
    y.backward(c.dy);
    EXPECT_TRUE(tensors_equal(x.grad(), once)) << i;
    const torch::NoGradGuard no_gradients;
    EXPECT_TRUE(tensors_equal(norm(c.kind, c.x, c.weight, c.bias, Ops::kAuto), y)) << i;
  }
}

}  // namespace
}  // namespace tinylm::ops
