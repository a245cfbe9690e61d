// Loops over numbers that several optimizers need; call them through vectorised<> (core/vectorised.h).
#pragma once

#include <cstdint>

namespace tinylm {

/// Summed in double.
inline double sum_of_squares(const float* values, std::int64_t count) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i) sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  return sum;
}

inline void scale_in_place(float* values, std::int64_t count, float factor) {
  for (std::int64_t i = 0; i < count; ++i) values[i] *= factor;
}

}  // namespace tinylm
