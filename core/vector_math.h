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

/// The standard normal distribution at a number.
struct Normal {
  float cumulative;  // Phi(x), absolute error below 1.5e-7, relative error below 1e-5 in the lower tail
  float density;     // phi(x) = exp(-x^2 / 2) / sqrt(2 pi)
};

/// Phi by the rational function for Phi(-|x|) / exp(-x^2 / 2) of Hart et al. 1968 (West, "Better approximations to
/// cumulative normal functions", 2005), whose terms are all positive.
inline Normal normal_distribution(float x) {
  const float distance = select(std::abs(x) > 20.0F, 20.0F, std::abs(x));  // beyond 13 exp(-x^2 / 2) is 0
  float above = 3.52624965998911e-2F;
  above = above * distance + 0.700383064443688F;
  above = above * distance + 6.37396220353165F;
  above = above * distance + 33.912866078383F;
  above = above * distance + 112.079291497871F;
  above = above * distance + 221.213596169931F;
  above = above * distance + 220.206867912376F;
  float below = 8.83883476483184e-2F;
  below = below * distance + 1.75566716318264F;
  below = below * distance + 16.064177579207F;
  below = below * distance + 86.7807322029461F;
  below = below * distance + 296.564248779674F;
  below = below * distance + 637.333633378831F;
  below = below * distance + 793.826512519948F;
  below = below * distance + 440.413735824752F;
  const float exponent = exponential(-0.5F * x * x), tail = exponent * above / below;
  return {select(x < 0.0F, tail, 1.0F - tail), 0.39894228F * exponent};
}

}  // namespace tinylm
