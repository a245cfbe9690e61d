// The norm kernels against the definitions in float64, whose gradients definitions_test.cpp compares with finite
// differences.
#include "model/ops/kernels/row_norm.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/torch.h"
#include "model/ops/norms.h"
#include "testing/fused.h"

namespace tinylm::ops {
namespace {

using tinylm::testing::at_each_instruction_set;
using tinylm::testing::close_by_scale;
using tinylm::testing::Draw;
using tinylm::testing::expect_reproducible;
using tinylm::testing::tensors_equal;

struct NormCase {
  NormKind kind = NormKind::kLayerNorm;
  torch::Tensor x, weight, bias, dy, residual;  // bias, residual: undefined for none
};

NormCase make_norm_case(Draw& draw, std::int64_t rows, std::int64_t C) {
  NormCase c;
  c.kind = draw.coin() ? NormKind::kLayerNorm : NormKind::kRmsNorm;
  c.x = torch::randn({rows, C}) * 2 + 0.5;
  c.weight = torch::randn({C});
  if (c.kind == NormKind::kLayerNorm && draw.coin()) c.bias = torch::randn({C});
  c.dy = torch::randn({rows, C});
  if (draw.coin()) c.residual = torch::randn({rows, C});
  return c;
}

float* pointer(const torch::Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<float>() : nullptr;
}

/// y, y again, dx, dweight and, with a bias, dbias.
std::vector<torch::Tensor> fused_norm(const NormCase& c) {
  const std::int64_t rows = c.x.size(0), C = c.x.size(1);
  const RowNorm norm{c.kind, rows, C, kNormEpsilon, pointer(c.weight), pointer(c.bias)};
  const torch::Tensor statistics = torch::empty({2, rows}), y = torch::empty_like(c.x), again = torch::empty_like(c.x),
                      dx = torch::empty_like(c.x), dweight = torch::empty({C});
  const torch::Tensor dbias = c.bias.defined() ? torch::empty({C}) : torch::Tensor();
  const RowNormStatistics kept{pointer(statistics), pointer(statistics) + rows};
  row_norm_forward(norm, pointer(c.x), pointer(y), kept);
  row_norm_again(norm, pointer(c.x), kept, pointer(again));
  row_norm_backward(norm, pointer(c.x), kept, pointer(c.dy), pointer(c.residual), pointer(dx), pointer(dweight),
                    pointer(dbias));
  std::vector<torch::Tensor> results = {y, again, dx, dweight};
  if (dbias.defined()) results.push_back(dbias);
  return results;
}

/// The same from the definitions in float64.
std::vector<torch::Tensor> defined_norm(const NormCase& c) {
  const auto leaf = [](const torch::Tensor& x) {
    return x.defined() ? x.to(torch::kFloat64).requires_grad_(true) : torch::Tensor();
  };
  const torch::Tensor x = leaf(c.x), weight = leaf(c.weight), bias = leaf(c.bias);
  const torch::Tensor y = c.kind == NormKind::kLayerNorm ? layer_norm(x, weight, bias) : rms_norm(x, weight);
  y.backward(c.dy.to(torch::kFloat64));
  const torch::Tensor dx = c.residual.defined() ? x.grad() + c.residual : x.grad();
  std::vector<torch::Tensor> results = {y.detach(), y.detach(), dx, weight.grad()};
  if (bias.defined()) results.push_back(bias.grad());
  return results;
}

TEST(RowNorm, AgreesWithTheDefinitionForManyShapes) {
  at_each_instruction_set([] {
    torch::manual_seed(1);
    Draw draw(1);
    for (int i = 0; i < 250; ++i) {
      const NormCase c =
          make_norm_case(draw, draw.between(1, 90), draw.one_of({1, 2, 3, 8, 15, 16, 17, 33, 64, 100, 128, 257}));
      const auto found = fused_norm(c), expected = defined_norm(c);
      const double tolerance = c.x.size(1) < 8 ? 5e-4 : 2e-5;  // few numbers may differ little: their scale is large
      for (std::size_t k = 0; k < expected.size(); ++k)
        ASSERT_TRUE(close_by_scale(found[k], expected[k], tolerance)) << "case " << i << " result " << k;
    }
  });
}

TEST(RowNorm, GivesTheSameRowsAgain) {
  torch::manual_seed(2);
  Draw draw(2);
  for (int i = 0; i < 20; ++i) {
    const auto results = fused_norm(make_norm_case(draw, 40, draw.between(1, 200)));
    EXPECT_TRUE(tensors_equal(results[0], results[1])) << i;
  }
}

TEST(RowNorm, IsReproducible) {
  torch::manual_seed(3);
  Draw draw(3);
  for (int i = 0; i < 8; ++i) {
    const NormCase c = make_norm_case(draw, 1500 + i, 96);
    expect_reproducible([&] { return fused_norm(c); });
  }
}

TEST(RowNorm, MayWriteOverItsInputs) {
  torch::manual_seed(4);
  Draw draw(4);
  NormCase c = make_norm_case(draw, 37, 50);
  c.residual = torch::randn({37, 50});
  const auto expected = fused_norm(c);
  const RowNorm norm{c.kind, 37, 50, kNormEpsilon, pointer(c.weight), pointer(c.bias)};
  const torch::Tensor statistics = torch::empty({2, 37}), y = c.x.clone(), dy = c.dy.clone(), sum = c.residual.clone();
  const RowNormStatistics kept{pointer(statistics), pointer(statistics) + 37};
  row_norm_forward(norm, pointer(y), pointer(y), kept);
  EXPECT_TRUE(tensors_equal(y, expected[0]));
  row_norm_backward(norm, pointer(c.x), kept, pointer(dy), pointer(c.residual), pointer(dy), nullptr, nullptr);
  EXPECT_TRUE(tensors_equal(dy, expected[2]));
  row_norm_backward(norm, pointer(c.x), kept, pointer(c.dy), pointer(sum), pointer(sum), nullptr, nullptr);
  EXPECT_TRUE(tensors_equal(sum, expected[2]));
}

TEST(RowNorm, PassesNaNOn) {
  torch::manual_seed(5);
  Draw draw(5);
  NormCase c = make_norm_case(draw, 3, 20);
  c.x[1][7] = std::numeric_limits<float>::quiet_NaN();
  const auto results = fused_norm(c);
  EXPECT_TRUE(results[0][1].isnan().all().item<bool>());
  EXPECT_FALSE(results[0][0].isnan().any().item<bool>());
  EXPECT_TRUE(results[2][1].isnan().any().item<bool>());
}

}  // namespace
}  // namespace tinylm::ops
