#include "core/philox.h"

#include <cmath>
#include <numbers>

namespace tinylm {

std::array<double, 2> Philox::normal_pair(std::uint64_t sample, std::uint64_t place) const {
  const Block words = block(sample, place);
  const double u = (static_cast<double>(words[0]) + 0.5) * 0x1.0p-32;  // never 0, so the logarithm is finite
  const double angle = 2.0 * std::numbers::pi * static_cast<double>(words[1]) * 0x1.0p-32;
  const double radius = std::sqrt(-2.0 * std::log(u));
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace tinylm
