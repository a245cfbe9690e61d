// Vectors of floats for the instruction set that is being compiled. Included by files like attention_avx512.cpp inside
// a namespace of their own, after kLanes (floats in a vector) has been defined. Calls no function templates of the
// standard library, whose instances other files would share.
#pragma once

inline constexpr float kLog2OfE = 1.44269504F, kLn2 = 0.693147181F;

using Vector [[gnu::vector_size(4 * kLanes)]] = float;
using Integers [[gnu::vector_size(4 * kLanes)]] = std::int32_t;
using Unaligned [[gnu::vector_size(4 * kLanes), gnu::aligned(4), gnu::may_alias]] = float;

inline constexpr std::int64_t smaller(std::int64_t a, std::int64_t b) {
  return a < b ? a : b;
}

inline Vector load(const float* from) {
  return *reinterpret_cast<const Unaligned*>(from);
}
inline void store(float* to, Vector x) {
  *reinterpret_cast<Unaligned*>(to) = x;
}
inline Vector broadcast(float x) {
  return x - Vector{};
}
/// The larger of each pair; b where one of them is not a number.
inline Vector larger(Vector a, Vector b) {
  return a > b ? a : b;
}

template <int... kLane>
Vector count_up(std::integer_sequence<int, kLane...>) {
  return Vector{static_cast<float>(kLane)...};
}
/// 0, 1, 2, ...
inline Vector lane_numbers() {
  return count_up(std::make_integer_sequence<int, kLanes>());
}

template <int kStep, int... kLane>
Vector exchange(Vector x, std::integer_sequence<int, kLane...>) {
  return __builtin_shuffle(x, Integers{(kLane ^ kStep)...});
}
/// The largest of all lanes, in every lane.
template <int kStep = kLanes / 2>
Vector largest_lane(Vector x) {
  x = larger(x, exchange<kStep>(x, std::make_integer_sequence<int, kLanes>()));
  if constexpr (kStep > 1) return largest_lane<kStep / 2>(x);
  return x;
}
/// The sum of all lanes, in every lane.
template <int kStep = kLanes / 2>
Vector lane_sum(Vector x) {
  x += exchange<kStep>(x, std::make_integer_sequence<int, kLanes>());
  if constexpr (kStep > 1) return lane_sum<kStep / 2>(x);
  return x;
}

/// 2^x for x <= 0 with a relative error below 2e-7; 2^-126 for anything lower. Not a number stays so.
inline Vector exp2_of_nonpositive(Vector x) {
  const Vector least = broadcast(-126.0F);
  x = larger(least, x);
  // Adding 1.5 * 2^23 rounds to a whole number n, which the lowest bits of the sum then hold.
  const Vector shifted = x + 12582912.0F, f = x - (shifted - 12582912.0F);  // |f| <= 1/2
  Vector power = broadcast(1.5453163e-4F);                                  // polynomial for 2^f, error below 1e-8
  power = power * f + 1.3390863e-3F;
  power = power * f + 9.618083e-3F;
  power = power * f + 5.550357e-2F;
  power = power * f + 2.4022651e-1F;
  power = power * f + 6.9314718e-1F;
  power = power * f + 1.0F;
  return reinterpret_cast<Vector>(reinterpret_cast<Integers>(power) + (reinterpret_cast<Integers>(shifted) << 23));
}

template <int kStep, int... kLane>
Vector keep_low(Vector a, Vector b, std::integer_sequence<int, kLane...>) {
  return __builtin_shuffle(a, b, Integers{((kLane & kStep) == 0 ? kLane : kLanes + kLane - kStep)...});
}
template <int kStep, int... kLane>
Vector keep_high(Vector a, Vector b, std::integer_sequence<int, kLane...>) {
  return __builtin_shuffle(a, b, Integers{((kLane & kStep) == 0 ? kLane + kStep : kLanes + kLane)...});
}
/// Exchanges rows and columns of a square: the blocks of kStep x kStep beside the diagonal change places, then those
/// inside each block.
template <int kStep = kLanes / 2>
void transpose(Vector (&rows)[kLanes]) {
  constexpr auto kAll = std::make_integer_sequence<int, kLanes>();
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i) {
    if ((i & kStep) != 0) continue;
    const Vector a = rows[i], b = rows[i + kStep];
    rows[i] = keep_low<kStep>(a, b, kAll);
    rows[i + kStep] = keep_high<kStep>(a, b, kAll);
  }
  if constexpr (kStep > 1) transpose<kStep / 2>(rows);
}
