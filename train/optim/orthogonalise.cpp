#include "train/optim/orthogonalise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <omp.h>

#include "core/parallel.h"
#include "core/vectorised.h"
#include "model/ops/matmul.h"
#include "train/optim/vector_loops.h"

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

/// Products inside a parallel region are the calling thread's own work.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

/// c = a b: rows x inner times inner x columns; `b` may be given by columns, `a` too.
void multiply(const float* a, bool a_by_columns, const float* b, bool b_by_columns, float* c, std::int64_t rows,
              std::int64_t inner, std::int64_t columns) {
  const auto view = [](bool by_columns, std::int64_t m, std::int64_t n) {
    return by_columns ? ops::MatrixView{.row_stride = 1, .column_stride = m} : ops::MatrixView{.row_stride = n};
  };
  ops::matmul_f32({.m = rows,
                   .n = columns,
                   .k = inner,
                   .a = view(a_by_columns, rows, inner),
                   .b = view(b_by_columns, inner, columns),
                   .c = view(false, rows, columns)},
                  a, b, c);
}

/// factor = a I + b gram + c square.
void evaluate_polynomial(float* __restrict factor, const float* __restrict gram, const float* __restrict square,
                         std::int64_t k, const OddQuintic& p) {
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

void Orthogonaliser::orthogonalise(const OrthogonaliserInput& input, std::vector<float>& work) const {
  const float* x = input.matrix;
  const std::int64_t m = input.rows, n = input.columns, k = std::min(m, n), elements = k * k;
  const bool tall = m > n;  // the Gram matrix is X^T X, the smaller one, and multiplies X from the right
  work.resize(static_cast<std::size_t>(work_floats(k)));
  float *gram = work.data(), *square = gram + elements, *factor = square + elements, *product = factor + elements,
        *swap = product + elements;
  const auto multiply_square = [k](const float* a, const float* b, float* c) {
    multiply(a, false, b, false, c, k, k, k);
  };

  multiply(x, tall, x, !tall, gram, k, std::max(m, n), k);
  multiply_square(gram, gram, square);
  // The eigenvalues of the square are s^4, so the fourth root of its Frobenius norm is at least the largest s.
  const double bound = kSlack * std::pow(vectorised<sum_of_squares>(square, elements), 0.125);
  const float shrink = bound > 0.0 ? static_cast<float>(1.0 / bound) : 0.0F;
  vectorised<scale_in_place>(gram, elements, shrink * shrink);
  vectorised<scale_in_place>(square, elements, shrink * shrink * shrink * shrink);
  vectorised<evaluate_polynomial>(product, gram, square, k, polynomials_[0]);
  const float* last = product;
  for (std::size_t i = 1; i < polynomials_.size(); ++i) {
    multiply_square(last, gram, swap);  // the next Gram matrix is p(A) A p(A), all of which commute
    multiply_square(swap, last, gram);
    multiply_square(gram, gram, square);
    vectorised<evaluate_polynomial>(factor, gram, square, k, polynomials_[i]);
    multiply_square(factor, product, swap);
    std::swap(product, swap);
    last = factor;
  }
  vectorised<scale_in_place>(product, elements, shrink);
  tall ? multiply(x, false, product, false, input.result, m, k, n)
       : multiply(product, false, x, false, input.result, m, k, n);
}

void Orthogonaliser::operator()(const std::vector<OrthogonaliserInput>& inputs) const {
  parallel_for(0, static_cast<std::int64_t>(inputs.size()), 1, [&](std::int64_t first, std::int64_t last) {
    const OneThread here;
    thread_local std::vector<float> work;  // kept from step to step
    for (std::int64_t i = first; i < last; ++i) orthogonalise(inputs[i], work);
  });
}

}  // namespace tinylm
