// Functions of one float32 number that loops over them turn into vector code (vectorised.h). NaN gives NaN.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace tinylm {

/// `yes` or `no`. A conditional expression would become a branch, which the compiler takes as a reason to compute the
/// two ways apart; below AVX-512, loops with such branches stay scalar.
inline float select(bool condition, float yes, float no) {
  const std::uint32_t mask = 0U - static_cast<std::uint32_t>(condition);
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(yes) & mask) | (std::bit_cast<std::uint32_t>(no) & ~mask));
}

/// exp(x) with a relative error below 2e-7: 0 below -87.3, infinity above 88.4. Reduction to 2^n exp(r), |r| <=
/// ln(2)/2, and the polynomial of Cephes' expf (Moshier 1989).
inline float exponential(float x) {
  constexpr float kLowest = -87.33654F, kHighest = 88.8F, kLog2OfE = 1.44269504F;
  constexpr float kToInteger = 12582912.0F;  // 1.5 * 2^23: added to n, the last bits of the sum are n's
  constexpr float kLn2High = 0.693359375F, kLn2Low = -2.12194440e-4F;
  const float bounded = select(x < kLowest, kLowest, select(x > kHighest, kHighest, x));
  const float shifted = bounded * kLog2OfE + kToInteger;
  const float n = shifted - kToInteger;
  const float r = (bounded - n * kLn2High) - n * kLn2Low;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * r * r + r + 1.0F;
  const std::uint32_t power = (std::bit_cast<std::uint32_t>(shifted) << 23) + 0x3F800000U;  // the bits of 2^n
  return p * select(x < kLowest, 0.0F, std::bit_cast<float>(power));
}

/// erf(x) with an absolute and relative error below 4e-7, exactly 1 or -1 beyond 3.93. The rational function that Eigen
/// and XLA use.
inline float error_function(float x) {
  const float bounded = select(std::abs(x) > 4.0F, 4.0F, x), square = bounded * bounded;
  float above = -2.72614225801306e-10F;
  above = above * square + 2.77068142495902e-08F;
  above = above * square - 2.10102402082508e-06F;
  above = above * square - 5.69250639462346e-05F;
  above = above * square - 7.34990630326855e-04F;
  above = above * square - 2.95459980854025e-03F;
  above = above * square - 1.60960333262415e-02F;
  float below = -1.45660718464996e-05F;
  below = below * square - 2.13374055278905e-04F;
  below = below * square - 1.68282697438203e-03F;
  below = below * square - 7.37332916720468e-03F;
  below = below * square - 1.42647390514189e-02F;
  return select(std::abs(x) > 3.93F, std::copysign(1.0F, x), bounded * above / below);
}

/// Phi(x), the cumulative distribution of the standard normal, with an absolute error below 2e-7.
inline float normal_cumulative(float x) {
  return 0.5F + 0.5F * error_function(0.70710678F * x);
}

/// phi(x) = exp(-x^2 / 2) / sqrt(2 pi), its density.
inline float normal_density(float x) {
  return 0.39894228F * exponential(-0.5F * x * x);
}

}  // namespace tinylm
