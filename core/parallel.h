// Loops over several threads through OpenMP, the thread pool that libtorch and oneDNN use too.
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>

namespace tinylm {

/// Calls `body(first, last)` on disjoint ranges that cover [begin, end), each at least `grain` long where possible.
/// Runs in the calling thread when the range is short or when already inside a parallel region. `body` must not throw.
template <class Body>
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, const Body& body) {
  const std::int64_t length = end - begin;
  if (length <= 0) return;
  const std::int64_t useful = std::max<std::int64_t>(1, length / std::max<std::int64_t>(1, grain));
  const int parts = static_cast<int>(std::min<std::int64_t>(omp_get_max_threads(), useful));
  if (parts <= 1 || omp_in_parallel()) {
    body(begin, end);
    return;
  }
#pragma omp parallel num_threads(parts)
  {
    const std::int64_t part = omp_get_thread_num();
    const std::int64_t count = omp_get_num_threads();
    body(begin + length * part / count, begin + length * (part + 1) / count);
  }
}

/// Calls `body(i)` for every i below `count`, each by the next thread that is free: for few, large or unequal pieces of
/// work whose results do not depend on who does them. `body` must not throw.
template <class Body>
void parallel_items(std::int64_t count, const Body& body) {
  const int threads = static_cast<int>(std::min<std::int64_t>(omp_get_max_threads(), count));
  if (threads <= 1 || omp_in_parallel()) {
    for (std::int64_t i = 0; i < count; ++i) body(i);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t i = 0; i < count; ++i) body(i);
}

/// Where the threads of a team meet. They try again and again, which takes a fraction of the time of OpenMP's barrier
/// where each has a processor for itself; where not, they soon make room for each other.
class MeetingPoint {
 public:
  /// Returns once `threads` threads have called it.
  void wait(int threads) {
    const int round = round_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) == threads - 1) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      return;
    }
    for (int tries = 0; round_.load(std::memory_order_acquire) == round; ++tries)
      if (tries >= kPatience) std::this_thread::yield();
  }

 private:
  static constexpr int kPatience = 10000;
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<int> round_{0};
};

/// One thread's place among those of a run_team().
class Team {
 public:
  Team(int thread, int threads, MeetingPoint& meeting_point)
      : thread_(thread), threads_(threads), meeting_point_(meeting_point) {}
  int thread() const { return thread_; }
  int threads() const { return threads_; }
  /// Returns once every thread of the team has called it; each then sees what the others wrote before.
  void wait() const {
    if (threads_ > 1) meeting_point_.wait(threads_);
  }
  /// This thread's part [first, last) of [0, length); the parts are disjoint and cover it.
  std::pair<std::int64_t, std::int64_t> share(std::int64_t length) const {
    return {length * thread_ / threads_, length * (thread_ + 1) / threads_};
  }

 private:
  int thread_, threads_;
  MeetingPoint& meeting_point_;
};

/// Calls `body(team)` in at most `threads` threads at once, as many as there are; in the calling one alone when already
/// inside a parallel region. For work in several stages, which costs less than a parallel_for a stage. `body` must not
/// throw.
template <class Body>
void run_team(int threads, const Body& body) {
  const int count = omp_in_parallel() ? 1 : std::clamp(threads, 1, omp_get_max_threads());
  MeetingPoint meeting_point;
  if (count == 1) return body(Team(0, 1, meeting_point));
#pragma omp parallel num_threads(count)
  body(Team(omp_get_thread_num(), omp_get_num_threads(), meeting_point));
}

}  // namespace tinylm
