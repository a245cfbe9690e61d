// The rate of matrix products on this machine, through the product engine (model/ops/matmul.h).
#pragma once

#include <cstdint>
#include <vector>

#include "model/ops/matmul.h"

namespace tinylm {

/// A product of two square matrices of ones, to be timed. bfloat16 needs ops::has_bf16_matmul().
class SquareProduct {
 public:
  SquareProduct(std::int64_t size, ops::MatmulInputs inputs);

  /// Multiplies once; gives the seconds it took.
  double run_s();
  /// 2 size^3.
  double operations() const;
  /// What oneDNN chose for it, e.g. "brg:avx512_core".
  std::string implementation() const { return ops::matmul_implementation(shape_, inputs_); }

 private:
  ops::MatmulShape shape_;
  ops::MatmulInputs inputs_;
  std::vector<float> floats_, result_;
  std::vector<ops::Bfloat16> halves_;  // bfloat16
};

/// Of matrices whose product runs at about the highest rate there is, and takes a millisecond or two.
inline constexpr std::int64_t kPeakProductSize = 512;

/// The fastest of the products that fit into about 20 ms, after one to warm up, in GFLOP/s.
double product_gflops(std::int64_t size, ops::MatmulInputs inputs);

}  // namespace tinylm
