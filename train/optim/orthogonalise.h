// Orthogonalising matrices by matrix products alone: G = U S V^T becomes about U V^T, without computing U, S or V.
#pragma once

#include <cstdint>
#include <vector>

#include "core/torch.h"

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

/// Keeps its working memory from call to call.
class Orthogonaliser {
 public:
  /// At least 1 iteration; singular values end within kTolerance of 1, except those smaller than about 1/50 (three
  /// iterations) or 1/500 (four) of the largest one, which are raised less.
  explicit Orthogonaliser(std::int64_t iterations);

  /// Of every matrix of every stack [G, m, n] (float32, contiguous, each matrix of Frobenius norm 1, or zero, which
  /// gives zero); the results, like the stacks, are overwritten by the next call. Newton-Schulz iteration (Jordan et
  /// al., "Muon", 2024) on the Gram matrices: with k = min(m, n), A = X X^T (or X^T X) is k x k, and X p(A) needs two
  /// products with X however many iterations there are. Gram matrices of one size are worked on in one batch.
  const std::vector<torch::Tensor>& operator()(const std::vector<torch::Tensor>& stacks);

  static constexpr double kTolerance = 0.3;

 private:
  /// Stacks whose Gram matrices have one size k, and the memory for them.
  struct Batch {
    std::vector<std::size_t> stacks;
    torch::Tensor gram, square, factor, product, swap;  // [sum of G, k, k]
  };
  void prepare(const std::vector<torch::Tensor>& stacks);
  void find_factors(Batch& batch);

  std::vector<OddQuintic> polynomials_;
  std::vector<Batch> batches_;
  std::vector<std::vector<std::int64_t>> shapes_;  // of the stacks that batches_ was prepared for
  std::vector<torch::Tensor> results_;             // like the stacks
};

}  // namespace tinylm
