// How long something takes, by a clock that nobody sets.
#pragma once

#include <chrono>

namespace tinylm {

class StopWatch {
 public:
  /// Since it was made.
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace tinylm
