// float32 numbers as bfloat16, the upper half of their bits: the same range with 8 bits of precision instead of 24.
#pragma once

#include <bit>
#include <cstdint>

namespace tinylm::ops {

/// A bfloat16 number; its layout in memory is libtorch's and oneDNN's.
struct Bfloat16 {
  std::uint16_t bits = 0;
};

/// `value` rounded to the nearest bfloat16, halfway cases to the even one, as IEEE 754 rounds; what is above the
/// largest becomes infinite, and what is not a number stays so.
inline Bfloat16 rounded_to_bfloat16(float value) {
  // Adding half of the last place that stays carries into it where more than half is cut off; one less than half, and
  // the place's own bit, leaves the halfway cases to the even one. A quiet bit keeps what is not a number from becoming
  // infinite when its lower half is cut off.
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t nearest = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
  const std::uint32_t not_a_number = (bits >> 16) | 0x40U;
  return {static_cast<std::uint16_t>((bits & 0x7FFFFFFFU) > 0x7F800000U ? not_a_number : nearest)};
}

/// For loops that write either type.
inline void put(float value, float& to) {
  to = value;
}
inline void put(float value, Bfloat16& to) {
  to = rounded_to_bfloat16(value);
}

/// to[i] = from[i] rounded. On several threads.
void round_to_bfloat16(const float* from, std::int64_t count, Bfloat16* to);

}  // namespace tinylm::ops
