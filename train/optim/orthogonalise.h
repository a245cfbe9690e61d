// Orthogonalising matrices by matrix products alone: G = U S V^T becomes about U V^T, without computing U, S or V.
#pragma once

#include <cstdint>
#include <vector>

namespace tinylm {

/// An odd polynomial a s + b s^3 + c s^5 and how far from 1 it gets on the interval that it was made for.
struct OddQuintic {
  double a, b, c, error;
};

/// The odd quintic that stays closest to 1 on [low, high], 0 < low < high: the largest |1 - p(s)| is the smallest
/// possible. By Remez's exchange: the best one differs from 1 by +E, -E, +E, -E at low, two inner extrema, and high.
OddQuintic closest_to_one(double low, double high);

/// `iterations` polynomials that, applied one after another, bring every s in [low, 1] as close to 1 as any such
/// composition can; each is the best one for where the one before it has brought the interval (Amsel, Persson, Musco &
/// Gower, "The Polar Express", 2025, theorem 3.1). `low` is as small as leaves an error of at most `tolerance`.
std::vector<OddQuintic> polynomials_to_one(std::int64_t iterations, double tolerance);

/// A matrix to be orthogonalised, float32, rows x columns, contiguous.
struct OrthogonaliserInput {
  const float* matrix;
  float* result;  // like the matrix, and apart from it
  std::int64_t rows, columns;
};

class Orthogonaliser {
 public:
  /// At least 1 iteration; singular values end within kTolerance of 1, except those smaller than about 1/80 (three
  /// iterations) or 1/350 (four) of the largest one, which are raised less.
  explicit Orthogonaliser(std::int64_t iterations) : polynomials_(polynomials_to_one(iterations, kTolerance)) {}

  /// Of each matrix, finite and of Frobenius norm 1, or zero, which gives zero. Newton-Schulz iteration (Jordan et al.,
  /// "Muon", 2024) on the Gram matrix: with k = min(rows, columns), A = X X^T (or X^T X) is k x k, and X p(A) needs two
  /// products with X however many iterations there are. Each matrix is the work of one thread, so that its few k x k
  /// matrices stay in that core's cache.
  void operator()(const std::vector<OrthogonaliserInput>& inputs) const;

  /// float32 numbers of working memory that a thread needs for matrices of this smaller side.
  static std::int64_t work_floats(std::int64_t k) { return 5 * k * k; }

  static constexpr double kTolerance = 0.3;

 private:
  void orthogonalise(const OrthogonaliserInput& input, std::vector<float>& work) const;

  std::vector<OddQuintic> polynomials_;
};

}  // namespace tinylm
