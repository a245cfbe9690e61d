// Sixteen float32 numbers that are worked on together: one register of AVX-512, two of AVX2, four of the baseline. For
// code that vectorised() (core/vectorised.h) compiles for each instruction set. Vectors are handed over by reference:
// by value their calling convention depends on the instruction set.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "core/vector_math.h"

namespace tinylm::ops {

inline constexpr std::int64_t kLanes = 16;
using Lanes = float __attribute__((vector_size(64)));

/// `count` rounded up to whole Lanes.
inline constexpr std::int64_t whole_lanes(std::int64_t count) {
  return (count + kLanes - 1) / kLanes * kLanes;
}

inline void load(const float* from, Lanes& to) {
  std::memcpy(&to, from, sizeof to);
}
inline void store(const Lanes& from, float* to) {
  std::memcpy(to, &from, sizeof from);
}
/// The first `count` (0 to kLanes) numbers; the others are not touched (zero).
inline void store_some(const Lanes& from, float* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = from[i];
}
inline void load_some(const float* from, Lanes& to, std::int64_t count) {
  to = Lanes{};
  for (std::int64_t i = 0; i < count; ++i) to[i] = from[i];
}

/// Each number's neighbour kStep (1, 2, 4 or 8) lanes away, in pairs.
template <int kStep, int... kLane>
inline void exchange(Lanes& x, std::integer_sequence<int, kLane...>) {
  x = __builtin_shufflevector(x, x, (kLane ^ kStep)...);
}

/// Sum and largest, always in the same order.
template <int kStep = kLanes / 2>
inline float sum_of(Lanes& x) {
  Lanes other = x;
  exchange<kStep>(other, std::make_integer_sequence<int, kLanes>());
  x += other;
  if constexpr (kStep > 1) return sum_of<kStep / 2>(x);
  return x[0];
}
template <int kStep = kLanes / 2>
inline float largest_of(Lanes& x) {
  Lanes other = x;
  exchange<kStep>(other, std::make_integer_sequence<int, kLanes>());
  x = x > other ? x : other;
  if constexpr (kStep > 1) return largest_of<kStep / 2>(x);
  return x[0];
}

/// x = e^x as exponential() (core/vector_math.h).
inline void exponentiate(Lanes& x) {
  float values[kLanes];
  store(x, values);
#pragma omp simd
  for (std::int64_t i = 0; i < kLanes; ++i) values[i] = exponential(values[i]);
  load(values, x);
}

}  // namespace tinylm::ops
