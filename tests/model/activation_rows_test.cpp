// The activation kernels against the definitions in float64, whose gradients definitions_test.cpp compares with finite
// differences.
#include "model/ops/kernels/activation.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "core/torch.h"
#include "model/ops/activations.h"
#include "testing/fused.h"

namespace tinylm::ops {
namespace {

using tinylm::testing::at_each_instruction_set;
using tinylm::testing::close_by_scale;
using tinylm::testing::Draw;
using tinylm::testing::expect_reproducible;
using tinylm::testing::tensors_equal;

constexpr ActivationKind kKinds[] = {ActivationKind::kGelu, ActivationKind::kSquaredRelu, ActivationKind::kSwiGlu};

struct ActivationCase {
  ActivationRows sizes;
  torch::Tensor h, da;
};

ActivationCase make_activation_case(ActivationKind kind, std::int64_t rows, std::int64_t F) {
  return {{kind, rows, F}, torch::randn({rows, activation_inputs(kind) * F}) * 3, torch::randn({rows, F})};
}

/// a, a again, dh and its sums.
std::vector<torch::Tensor> fused_activation(const ActivationCase& c) {
  const torch::Tensor a = torch::empty_like(c.da), again = torch::empty_like(c.da), dh = torch::empty_like(c.h),
                      dbias = torch::empty({c.h.size(1)});
  activation_forward(c.sizes, c.h.data_ptr<float>(), a.data_ptr<float>());
  activation_backward(c.sizes, c.h.data_ptr<float>(), c.da.data_ptr<float>(), dh.data_ptr<float>(),
                      again.data_ptr<float>(), dbias.data_ptr<float>());
  return {a, again, dh, dbias};
}

std::vector<torch::Tensor> defined_activation(const ActivationCase& c) {
  const torch::Tensor h = c.h.to(torch::kFloat64).requires_grad_(true);
  const torch::Tensor a = activation(h, c.sizes.kind);
  a.backward(c.da.to(torch::kFloat64));
  return {a.detach(), a.detach(), h.grad(), h.grad().sum(0)};
}

TEST(ActivationRows, AgreeWithTheDefinitionForManyShapes) {
  at_each_instruction_set([] {
    torch::manual_seed(1);
    Draw draw(1);
    for (int i = 0; i < 240; ++i) {
      const ActivationCase c = make_activation_case(kKinds[i % 3], draw.between(1, 70),
                                                    draw.one_of({1, 2, 7, 16, 31, 33, 64, 100, 129, 256}));
      const auto found = fused_activation(c), expected = defined_activation(c);
      for (std::size_t k = 0; k < expected.size(); ++k)
        ASSERT_TRUE(close_by_scale(found[k], expected[k], 3e-6)) << "case " << i << " result " << k;
    }
  });
}

TEST(ActivationRows, AreReproducible) {
  torch::manual_seed(2);
  for (const ActivationKind kind : kKinds) {
    const ActivationCase c = make_activation_case(kind, 1003, 65);
    expect_reproducible([&] { return fused_activation(c); });
  }
}

TEST(ActivationRows, MayWriteOverTheirInputsUnlessGated) {
  torch::manual_seed(3);
  for (const ActivationKind kind : {ActivationKind::kGelu, ActivationKind::kSquaredRelu}) {
    const ActivationCase c = make_activation_case(kind, 20, 33);
    const auto expected = fused_activation(c);
    const torch::Tensor h = c.h.clone(), da = c.da.clone(), a = torch::empty_like(da);
    activation_forward(c.sizes, h.data_ptr<float>(), h.data_ptr<float>());
    EXPECT_TRUE(tensors_equal(h, expected[0]));
    activation_backward(c.sizes, c.h.data_ptr<float>(), da.data_ptr<float>(), da.data_ptr<float>(), a.data_ptr<float>(),
                        nullptr);
    EXPECT_TRUE(tensors_equal(da, expected[2]));
    EXPECT_TRUE(tensors_equal(a, expected[1]));
  }
}

TEST(ActivationRows, AgreeFarFromZeroAndPassNaNOn) {
  const float kInfinity = std::numeric_limits<float>::infinity();
  const torch::Tensor values = torch::tensor(
      {-1e4F, -60.0F, -14.0F, -0.0F, 0.0F, 14.0F, 60.0F, 1e4F, kInfinity, std::numeric_limits<float>::quiet_NaN()});
  for (const ActivationKind kind : kKinds) {
    const torch::Tensor h =
        kind == ActivationKind::kSwiGlu ? torch::cat({values, torch::ones({10})}).unsqueeze(0) : values.unsqueeze(0);
    const ActivationCase c{{kind, 1, 10}, h, torch::ones({1, 10})};
    const torch::Tensor found = fused_activation(c)[0], expected = defined_activation(c)[0];
    EXPECT_TRUE(
        tinylm::testing::tensors_close(found.slice(1, 0, 9).to(torch::kFloat64), expected.slice(1, 0, 9), 1e-20, 1e-6))
        << static_cast<int>(kind);
    EXPECT_TRUE(std::isnan(found[0][9].item<float>())) << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace tinylm::ops
