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

/// Seconds that `work()` takes.
template <class Work>
double seconds_of(const Work& work) {
  const StopWatch watch;
  work();
  return watch.seconds();
}

/// The fastest of the calls of `run_s`, each of which gives its seconds, that fit into `limit_s`; at least one, after
/// one to warm up.
template <class Run>
double fastest_s(double limit_s, const Run& run_s) {
  run_s();
  double spent_s = run_s(), fastest = spent_s;
  while (spent_s < limit_s) {
    const double once_s = run_s();
    spent_s += once_s;
    if (once_s < fastest) fastest = once_s;
  }
  return fastest;
}

}  // namespace tinylm
