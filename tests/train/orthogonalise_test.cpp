#include "train/optim/orthogonalise.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

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

torch::Tensor random_matrix(std::int64_t rows, std::int64_t columns) {
  const torch::Tensor matrix = torch::randn({rows, columns});
  return matrix / matrix.norm();
}

std::vector<torch::Tensor> orthogonalised(const std::vector<torch::Tensor>& matrices, std::int64_t iterations) {
  std::vector<torch::Tensor> results;
  std::vector<OrthogonaliserInput> inputs;
  for (const torch::Tensor& matrix : matrices) {
    results.push_back(torch::full_like(matrix, NAN));
    inputs.push_back({matrix.data_ptr<float>(), results.back().data_ptr<float>(), matrix.size(0), matrix.size(1)});
  }
  Orthogonaliser{iterations}(inputs);
  return results;
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

TEST(OddQuintic, IsThePublishedOne) {
  // Amsel, Persson, Musco & Gower 2025, the coefficients printed with their code for singular values from 1e-3 on. They
  // take the best polynomial from 0.024 times the upper end on, and scale it so that both ends are equally far from 1.
  const std::vector<std::array<double, 3>> published = {{8.28721201814563, -23.595886519098837, 17.300387312530933},
                                                        {4.107059111542203, -2.9478499167379106, 0.5448431082926601},
                                                        {3.9486908534822946, -2.908902115962949, 0.5518191394370137},
                                                        {3.3184196573706015, -2.488488024314874, 0.51004894012372},
                                                        {2.300652019954817, -1.6689039845749493, 0.4188073119525673},
                                                        {1.891301407787398, -1.2679958271945868, 0.37680408948524835}};
  double low = 1e-3, high = 1.0;
  for (std::size_t i = 0; i < published.size(); ++i) {
    const OddQuintic p = closest_to_one(std::max(low, 0.02407327424182761 * high), high);
    const double scale = 2.0 / (value_at(p, low) + value_at(p, high));
    EXPECT_NEAR(scale * p.a, published[i][0], 1e-6) << i;
    EXPECT_NEAR(scale * p.b, published[i][1], 1e-6) << i;
    EXPECT_NEAR(scale * p.c, published[i][2], 1e-6) << i;
    low = scale * value_at(p, low);
    high = 2.0 - low;
  }
}

TEST(Orthogonaliser, MapsSingularValuesAndKeepsSingularVectors) {
  torch::manual_seed(3);
  for (const std::int64_t iterations : {1, 3, 5}) {
    std::vector<torch::Tensor> matrices;
    for (const auto& [rows, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {24, 24}, {24, 24}, {24, 96}, {96, 24}, {7, 5}, {5, 7}, {1, 9}, {9, 1}, {1, 1}})
      matrices.push_back(random_matrix(rows, columns));
    const std::vector<torch::Tensor> results = orthogonalised(matrices, iterations);
    for (std::size_t i = 0; i < matrices.size(); ++i) {
      const double difference = (results[i] - by_decomposition(matrices[i], iterations)).abs().max().item<double>();
      EXPECT_LT(difference, 5e-4) << iterations << " iterations, matrix " << i;
    }
  }
}

TEST(Orthogonaliser, BringsAllSingularValuesNearOne) {
  torch::manual_seed(5);
  const torch::Tensor s = torch::linalg_svdvals(orthogonalised({random_matrix(64, 256)}, 4)[0]);
  EXPECT_GT(s.min().item<double>(), 0.69);
  EXPECT_LT(s.max().item<double>(), 1.31);
}

TEST(Orthogonaliser, LeavesAZeroMatrixZero) {
  const std::vector<torch::Tensor> results = orthogonalised({torch::zeros({8, 4}), random_matrix(8, 4)}, 3);
  EXPECT_TRUE(torch::equal(results[0], torch::zeros({8, 4})));
  EXPECT_GT(results[1].norm().item<double>(), 1.0);
}

TEST(Orthogonaliser, GivesTheSameBitsWhateverTheNumberOfThreads) {
  torch::manual_seed(7);
  std::vector<torch::Tensor> matrices;
  for (int i = 0; i < 5; ++i) matrices.push_back(random_matrix(32, 64));
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const std::vector<torch::Tensor> alone = orthogonalised(matrices, 3);
  omp_set_num_threads(3);
  const std::vector<torch::Tensor> together = orthogonalised(matrices, 3);
  EXPECT_EQ(omp_get_max_threads(), 3);  // what it sets for itself is put back
  omp_set_num_threads(before);
  for (std::size_t i = 0; i < matrices.size(); ++i) EXPECT_TRUE(torch::equal(alone[i], together[i])) << i;
}

}  // namespace
}  // namespace tinylm
