#include "train/optim/orthogonalise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/parallel.h"
#include "core/vectorised.h"
#include "model/ops/multiply.h"

namespace tinylm {
namespace {

constexpr double kSlack = 1.001;  // for rounding: singular values must not be above 1 when the iteration begins

/// Solves four linear equations by elimination with the largest pivot; the last column is the right side.
std::array<double, 4> solve(std::array<std::array<double, 5>, 4> rows) {
  for (std::size_t i = 0; i < 4; ++i) {
    const auto pivot = std::max_element(rows.begin() + i, rows.end(), [&](const auto& left, const auto& right) {
      return std::abs(left[i]) < std::abs(right[i]);
    });
    std::swap(rows[i], *pivot);
    for (std::size_t r = 0; r < 4; ++r) {
      if (r == i) continue;
      const double multiple = rows[r][i] / rows[i][i];
      for (std::size_t column = 0; column < 5; ++column) rows[r][column] -= multiple * rows[i][column];
    }
  }
  return {rows[0][4] / rows[0][0], rows[1][4] / rows[1][1], rows[2][4] / rows[2][2], rows[3][4] / rows[3][3]};
}

/// What [low, 1] is brought to by `iterations` best polynomials.
std::vector<OddQuintic> polynomials_from(std::int64_t iterations, double low) {
  std::vector<OddQuintic> polynomials;
  double high = 1.0;
  for (std::int64_t i = 0; i < iterations; ++i) {
    polynomials.push_back(closest_to_one(low, high));
    low = 1.0 - polynomials.back().error;
    high = 1.0 + polynomials.back().error;
  }
  return polynomials;
}

std::int64_t gram_size(const torch::Tensor& stack) {
  return std::min(stack.size(-2), stack.size(-1));
}
/// Whether the Gram matrix is X^T X, the smaller one, and multiplies X from the right.
bool is_tall(const torch::Tensor& stack) {
  return stack.size(-2) > stack.size(-1);
}

TINYLM_VECTORISED double sum_of_squares(const float* values, std::int64_t count) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i) sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  return sum;
}

TINYLM_VECTORISED void scale_in_place(float* values, std::int64_t count, float factor) {
  for (std::int64_t i = 0; i < count; ++i) values[i] *= factor;
}

/// factor = a I + b gram + c square.
TINYLM_VECTORISED void evaluate_polynomial(float* __restrict factor, const float* __restrict gram,
                                           const float* __restrict square, std::int64_t k, const OddQuintic& p) {
  const auto b = static_cast<float>(p.b), c = static_cast<float>(p.c);
  for (std::int64_t i = 0; i < k * k; ++i) factor[i] = b * gram[i] + c * square[i];
  for (std::int64_t i = 0; i < k; ++i) factor[i * k + i] += static_cast<float>(p.a);
}

}  // namespace

OddQuintic closest_to_one(double low, double high) {
  constexpr int kMostExchanges = 100;
  double inner1 = (3.0 * low + high) / 4.0, inner2 = (low + 3.0 * high) / 4.0;
  OddQuintic best{0.0, 0.0, 0.0, 0.0};
  for (int exchange = 0; exchange < kMostExchanges; ++exchange) {
    std::array<std::array<double, 5>, 4> equations;
    const std::array<double, 4> points{low, inner1, inner2, high};
    for (std::size_t i = 0; i < 4; ++i) {
      const double s = points[i];
      equations[i] = {s, s * s * s, s * s * s * s * s, i % 2 == 0 ? 1.0 : -1.0, 1.0};
    }
    const auto [a, b, c, error] = solve(equations);
    const bool settled = std::abs(std::abs(error) - best.error) < 1e-13;
    best = {a, b, c, std::abs(error)};
    if (settled) break;
    // The extrema are where a + 3 b s^2 + 5 c s^4 = 0.
    const double root = std::sqrt(std::max(0.0, 9.0 * b * b - 20.0 * a * c));
    inner1 = std::sqrt((-3.0 * b - root) / (10.0 * c));
    inner2 = std::sqrt((-3.0 * b + root) / (10.0 * c));
  }
  return best;
}

std::vector<OddQuintic> polynomials_to_one(std::int64_t iterations, double tolerance) {
  double too_small = 1e-9, fits = 0.5;
  for (int halving = 0; halving < 40; ++halving) {
    const double middle = std::sqrt(too_small * fits);
    const bool within = polynomials_from(iterations, middle).back().error <= tolerance;
    (within ? fits : too_small) = middle;
  }
  return polynomials_from(iterations, fits);
}

Orthogonaliser::Orthogonaliser(std::int64_t iterations) : polynomials_(polynomials_to_one(iterations, kTolerance)) {}

void Orthogonaliser::prepare(const std::vector<torch::Tensor>& stacks) {
  std::vector<std::vector<std::int64_t>> shapes;
  for (const torch::Tensor& stack : stacks) shapes.push_back(stack.sizes().vec());
  if (shapes == shapes_) return;
  shapes_ = shapes;
  batches_.clear();
  results_.clear();
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    results_.push_back(torch::empty_like(stacks[i]));
    const auto same_size = [&](const Batch& batch) {
      return gram_size(stacks[batch.stacks[0]]) == gram_size(stacks[i]);
    };
    const auto found = std::find_if(batches_.begin(), batches_.end(), same_size);
    if (found != batches_.end())
      found->stacks.push_back(i);
    else
      batches_.emplace_back().stacks = {i};
  }
  for (Batch& batch : batches_) {
    std::int64_t matrices = 0;
    for (const std::size_t i : batch.stacks) matrices += stacks[i].size(0);
    const std::int64_t k = gram_size(stacks[batch.stacks[0]]);
    for (torch::Tensor* memory : {&batch.gram, &batch.square, &batch.factor, &batch.product, &batch.swap})
      *memory = torch::empty({matrices, k, k}, torch::kFloat32);
  }
}

void Orthogonaliser::find_factors(Batch& batch) {
  const std::int64_t matrices = batch.gram.size(0), k = batch.gram.size(1), elements = k * k;
  std::vector<float> shrink(matrices);  // what the largest singular value of each X is divided by to be at most 1
  for (std::size_t step = 0; step < polynomials_.size(); ++step) {
    ops::multiply(batch.gram, batch.gram, batch.square);
    const bool first = step == 0;
    parallel_for(0, matrices, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t g = begin; g < end; ++g) {
        float* gram = batch.gram.data_ptr<float>() + g * elements;
        float* square = batch.square.data_ptr<float>() + g * elements;
        if (first) {
          // The eigenvalues of the square are s^4, so the fourth root of its Frobenius norm is at least the largest s.
          const double bound = kSlack * std::pow(sum_of_squares(square, elements), 0.125);
          shrink[g] = bound > 0.0 ? static_cast<float>(1.0 / bound) : 0.0F;
          scale_in_place(gram, elements, shrink[g] * shrink[g]);
          scale_in_place(square, elements, std::pow(shrink[g], 4.0F));
        }
        evaluate_polynomial((first ? batch.product : batch.factor).data_ptr<float>() + g * elements, gram, square, k,
                            polynomials_[step]);
      }
    });
    torch::Tensor& factor = first ? batch.product : batch.factor;
    if (!first) {
      ops::multiply(batch.factor, batch.product, batch.swap);
      std::swap(batch.product, batch.swap);
    }
    if (step + 1 == polynomials_.size()) break;
    ops::multiply(factor, batch.gram, batch.swap);  // the next Gram matrix: p(A) A p(A), all of which commute
    ops::multiply(batch.swap, factor, batch.gram);
  }
  parallel_for(0, matrices, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t g = begin; g < end; ++g)
      scale_in_place(batch.product.data_ptr<float>() + g * elements, elements, shrink[g]);
  });
}

const std::vector<torch::Tensor>& Orthogonaliser::operator()(const std::vector<torch::Tensor>& stacks) {
  prepare(stacks);
  for (Batch& batch : batches_) {
    std::int64_t first = 0;
    for (const std::size_t i : batch.stacks) {
      const torch::Tensor& x = stacks[i];
      const torch::Tensor gram = batch.gram.narrow(0, first, x.size(0));  // [G, k, k]
      is_tall(x) ? ops::multiply(ops::transposed(x), x, gram) : ops::multiply(x, ops::transposed(x), gram);
      first += x.size(0);
    }
    find_factors(batch);
    first = 0;
    for (const std::size_t i : batch.stacks) {
      const torch::Tensor& x = stacks[i];
      const torch::Tensor factor = batch.product.narrow(0, first, x.size(0));
      is_tall(x) ? ops::multiply(x, factor, results_[i]) : ops::multiply(factor, x, results_[i]);
      first += x.size(0);
    }
  }
  return results_;
}

}  // namespace tinylm
