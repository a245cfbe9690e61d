// How fast all threads together read memory: the limit of anything that walks over weights.
#pragma once

#include <cstddef>
#include <vector>

#include "core/big_buffer.h"

namespace tinylm {

/// A piece of memory that is read again and again, each thread its own part; one that fits in the caches stays there.
class Reading {
 public:
  /// `bytes` in whole floats. Throws std::bad_alloc.
  explicit Reading(std::size_t bytes);

  /// Reads all of it once; gives the seconds it took.
  double run_s();
  double bytes() const { return static_cast<double>(count_ * sizeof(float)); }

 private:
  std::size_t count_;
  BigBuffer buffer_;
  std::vector<float> sums_;  // a thread's; written so that no compiler leaves the reading out
};

}  // namespace tinylm
