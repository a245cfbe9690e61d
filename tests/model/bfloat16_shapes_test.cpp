// The fused sublayers and the loss in bfloat16 over random shapes, against their float32 results. Lengths and norms are
// Euclidean, of a whole tensor.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/torch.h"
#include "model/attention_sublayer_case.h"
#include "model/feed_forward_cases.h"
#include "model/ops/matmul.h"
#include "model/projected_loss_cases.h"
#include "testing/fused.h"

namespace tinylm::ops {
namespace {

using tinylm::testing::at_each_instruction_set;
using tinylm::testing::Draw;

constexpr int kShapes = 220;
/// bfloat16 has 8 significant bits: rounding a factor changes it by at most this, relative to it, and by about 0.6 of
/// it on average.
constexpr double kUnit = 1.0 / 512.0;
/// |found - expected| over |expected| of one result. Ten or so roundings lie between the input and the last gradient;
/// independent of each other, they add up to two units. A result of few terms may have several times that. An error of
/// 1 % leaves a cosine of 0.99995.
constexpr double kLargestError = 10 * kUnit;
/// The same as a root mean square over all results of all shapes.
constexpr double kMeanError = 3 * kUnit;
/// Results shorter than this, relative to the gradient that came in, are what sums that cancel leave (gradients of
/// queries that see one key): they are measured against this length.
constexpr double kCancelled = 1e-3;

/// Collects the errors of many results.
class Errors {
 public:
  /// `scale`: the length of the gradient that came in.
  void add(const torch::Tensor& found, const torch::Tensor& expected, double scale, const std::string& what) {
    const double length = std::max(expected.norm().item<double>(), kCancelled * scale);
    const double error = (found - expected).norm().item<double>() / length;
    EXPECT_LE(error, kLargestError) << what;
    squares_ += error * error;
    ++count_;
  }
  void expect_small() const {
    const double mean = std::sqrt(squares_ / static_cast<double>(count_));
    EXPECT_LE(mean, kMeanError);
    EXPECT_GE(mean, kUnit / 4) << "nothing was rounded";
  }

 private:
  double squares_ = 0.0;
  std::int64_t count_ = 0;
};

class Bfloat16Shapes : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_bf16_matmul()) GTEST_SKIP() << "this processor has no bfloat16 products";
  }
  /// Of a sublayer x + f(x): its first two results, y and dx, hold x and dy, which are left out of the comparison.
  static void add_sublayer(Errors& errors, const std::vector<torch::Tensor>& found,
                           const std::vector<torch::Tensor>& expected, const torch::Tensor& x, const torch::Tensor& dy,
                           const std::string& text) {
    ASSERT_EQ(found.size(), expected.size());
    const double scale = dy.norm().item<double>();
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const torch::Tensor passed = k == 0 ? x : k == 1 ? dy : torch::zeros({1});
      errors.add(found[k] - passed, expected[k] - passed, scale, "result " + std::to_string(k) + " " + text);
    }
  }
};

TEST_F(Bfloat16Shapes, OfAttentionAreCloseToFloat32) {
  at_each_instruction_set([] {
    Errors errors;
    Draw draw(41);
    for (int i = 0; i < kShapes; ++i) {
      Case c = random_case(draw);
      while (c.H * c.D > 256) c = random_case(draw);  // wider ones take longer and tell no more
      torch::manual_seed(i);
      AttentionSublayerCase layer(c, torch::kFloat32);
      const torch::Tensor x = torch::randn({c.B, c.T, c.H * c.D}), dy = torch::randn(x.sizes());
      add_sublayer(errors, layer.run(x, dy, plan_of(c), Ops::kBfloat16), layer.run(x, dy, plan_of(c), Ops::kAuto), x,
                   dy, c.text());
    }
    errors.expect_small();
  });
}

TEST_F(Bfloat16Shapes, OfTheFeedForwardAreCloseToFloat32) {
  at_each_instruction_set([] {
    Errors errors;
    torch::manual_seed(42);
    Draw draw(42);
    for (int i = 0; i < kShapes; ++i) {
      const SublayerSizes sizes{draw.between(1, 4), draw.between(1, 24), draw.one_of({8, 17, 32, 61, 64, 100}),
                                draw.one_of({16, 31, 64, 130})};
      const SublayerCase c = make_sublayer_case(draw, sizes);
      const auto results = [&](Ops ops) {
        return sublayer_results(c, torch::kFloat32, [&](const auto&... of) { return feed_forward(of..., ops); });
      };
      add_sublayer(errors, results(Ops::kBfloat16), results(Ops::kAuto), c.x, c.dy,
                   "B " + std::to_string(sizes.B) + " T " + std::to_string(sizes.T) + " C " + std::to_string(sizes.C) +
                       " F " + std::to_string(sizes.F));
    }
    errors.expect_small();
  });
}

TEST_F(Bfloat16Shapes, OfTheProjectedLossAreCloseToFloat32) {
  at_each_instruction_set([] {
    Errors errors;
    torch::manual_seed(43);
    Draw draw(43);
    for (int i = 0; i < kShapes; ++i) {
      const LossCase c = make_loss_case(draw, draw.between(1, 5), draw.between(1, 40), draw.one_of({8, 16, 33, 64}),
                                        draw.one_of({2, 7, 16, 65, 100, 257}));
      const auto found = loss_results(c, torch::kFloat32, Ops::kBfloat16),
                 expected = loss_results(c, torch::kFloat32, Ops::kAuto);
      for (std::size_t k = 0; k < expected.size(); ++k)
        errors.add(found[k], expected[k], 1.0, "shape " + std::to_string(i) + " result " + std::to_string(k));
    }
    errors.expect_small();
  });
}

}  // namespace
}  // namespace tinylm::ops
