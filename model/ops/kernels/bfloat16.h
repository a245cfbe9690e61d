// float32 numbers as bfloat16, the upper half of their bits: the same range with 8 bits of precision instead of 24.
#pragma once

#include <cstdint>

namespace tinylm::ops {

/// to[i] = from[i] rounded to the nearest bfloat16, halfway cases to the even one, as IEEE 754 rounds; what is above
/// the largest becomes infinite, and what is not a number stays so. On several threads.
void round_to_bfloat16(const float* from, std::int64_t count, std::uint16_t* to);

}  // namespace tinylm::ops
