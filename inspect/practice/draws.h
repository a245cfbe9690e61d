// The random choices behind one exercise, or behind the questions, in the order in which they are made.
#pragma once

#include <cstdint>

#include "core/philox.h"

namespace tinylm {

/// Draws for `sample`, as Purpose::kPractice numbers them; the same arguments give the same draws.
class PracticeDraws {
 public:
  PracticeDraws(std::uint64_t seed, std::uint64_t sample) : random_(seed, Purpose::kPractice), sample_(sample) {}

  /// The next whole number from `first` to `last`, both included.
  std::int64_t between(std::int64_t first, std::int64_t last) {
    const auto choices = static_cast<std::uint64_t>(last - first + 1);
    return first + static_cast<std::int64_t>(random_.below(choices, sample_, place_++));
  }

 private:
  Philox random_;
  std::uint64_t sample_;
  std::uint64_t place_ = 0;
};

}  // namespace tinylm
