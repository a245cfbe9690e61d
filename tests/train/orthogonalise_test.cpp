#include "train/optim/orthogonalise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/torch.h"

namespace tinylm {
namespace {

double value_at(const OddQuintic& p, double s) {
  return s * (p.a + s * s * (p.b + s * s * p.c));
}

double value_at(const std::vector<OddQuintic>& polynomials, double s) {
  for (const OddQuintic& p : polynomials) s = value_at(p, s);
  return s;
}

/// What the iteration makes of G = U S V^T, by a singular value decomposition in double: U p(S / bound) V^T, where the
/// bound is the fourth root of the Frobenius norm of (G G^T)^2.
torch::Tensor by_decomposition(const torch::Tensor& matrix, std::int64_t iterations) {
  const auto [u, s, v] = torch::linalg_svd(matrix.to(torch::kFloat64), /*full_matrices=*/false);
  const double bound = 1.001 * std::pow(s.pow(8).sum().item<double>(), 0.125);
  torch::Tensor mapped = s.clone();
  for (std::int64_t i = 0; i < mapped.size(0); ++i)
    mapped[i] = value_at(polynomials_to_one(iterations, Orthogonaliser::kTolerance), s[i].item<double>() / bound);
  return torch::matmul(u * mapped, v);
}

torch::Tensor random_stack(std::int64_t G, std::int64_t m, std::int64_t n) {
  const torch::Tensor stack = torch::randn({G, m, n});
  return stack / stack.norm(2, {1, 2}, /*keepdim=*/true);
}

TEST(OddQuintic, DiffersFromOneEquallyAtFourPoints) {
  // The mark of the best approximation (Chebyshev): the largest error is reached with alternating signs, here as often
  // as there are coefficients and once more, and nowhere exceeded.
  const OddQuintic p = closest_to_one(0.1, 1.0);
  EXPECT_NEAR(1.0 - value_at(p, 0.1), p.error, 1e-10);
  EXPECT_NEAR(1.0 - value_at(p, 1.0), -p.error, 1e-10);
  double lowest = 1.0, highest = -1.0;
  int changes = 0;
  for (double s = 0.1, before = 1.0; s <= 1.0; s += 1e-5) {
    const double difference = 1.0 - value_at(p, s);
    lowest = std::min(lowest, difference);
    highest = std::max(highest, difference);
    changes += difference * before < 0.0;
    before = difference;
  }
  EXPECT_NEAR(highest, p.error, 1e-8);
  EXPECT_NEAR(lowest, -p.error, 1e-8);
  EXPECT_EQ(changes, 3);
}

TEST(OddQuintic, StaysWithinTheToleranceFromTheSmallestValueOn) {
  for (std::int64_t iterations = 1; iterations <= 6; ++iterations) {
    const std::vector<OddQuintic> polynomials = polynomials_to_one(iterations, 0.3);
    ASSERT_EQ(polynomials.size(), static_cast<std::size_t>(iterations));
    EXPECT_NEAR(polynomials.back().error, 0.3, 1e-6);
    const double low = std::pow(0.23, iterations);  // 0.012 for three iterations, 0.0028 for four
    for (double s = low; s <= 1.0; s *= 1.01)
      EXPECT_NEAR(value_at(polynomials, s), 1.0, 0.31) << iterations << " at " << s;
  }
}

TEST(Orthogonaliser, MapsSingularValuesAndKeepsSingularVectors) {
  torch::manual_seed(3);
  for (const std::int64_t iterations : {1, 3, 5}) {
    Orthogonaliser orthogonalise(iterations);
    const std::vector<torch::Tensor> stacks{random_stack(3, 24, 24), random_stack(2, 24, 96), random_stack(2, 96, 24),
                                            random_stack(1, 7, 5),   random_stack(1, 1, 9),   random_stack(1, 1, 1)};
    const std::vector<torch::Tensor>& results = orthogonalise(stacks);
    for (std::size_t i = 0; i < stacks.size(); ++i) {
      for (std::int64_t g = 0; g < stacks[i].size(0); ++g) {
        const double difference =
            (results[i][g] - by_decomposition(stacks[i][g], iterations)).abs().max().item<double>();
        EXPECT_LT(difference, 5e-4) << iterations << " iterations, stack " << i << ", matrix " << g;
      }
    }
  }
}

TEST(Orthogonaliser, BringsAllSingularValuesNearOne) {
  torch::manual_seed(5);
  Orthogonaliser orthogonalise(4);
  const torch::Tensor result = orthogonalise({random_stack(1, 64, 256)})[0][0];
  const torch::Tensor s = torch::linalg_svdvals(result);
  EXPECT_GT(s.min().item<double>(), 0.69);
  EXPECT_LT(s.max().item<double>(), 1.31);
}

TEST(Orthogonaliser, LeavesAZeroMatrixZero) {
  Orthogonaliser orthogonalise(3);
  torch::Tensor stack = random_stack(2, 8, 8);
  stack[0].zero_();
  const torch::Tensor result = orthogonalise({stack})[0];
  EXPECT_TRUE(torch::equal(result[0], torch::zeros({8, 8})));
  EXPECT_GT(result[1].norm().item<double>(), 1.0);
}

TEST(Orthogonaliser, FollowsWhenTheShapesChange) {
  Orthogonaliser orthogonalise(3);
  orthogonalise({random_stack(2, 8, 8)});
  const torch::Tensor stack = random_stack(1, 4, 6);
  EXPECT_LT((orthogonalise({stack})[0][0] - by_decomposition(stack[0], 3)).abs().max().item<double>(), 1e-4);
}

}  // namespace
}  // namespace tinylm
