// Loops over several threads through OpenMP, the thread pool that libtorch and oneDNN use too.
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

namespace tinylm {

#ifndef __SANITIZE_THREAD__

/// Calls `body(thread, threads)` in `count` threads at once, the calling one being number 0, and returns when all are
/// done. OpenMP may grant fewer than `count`. `body` must not throw.
template <class Body>
void run_threads(int count, const Body& body) {
#pragma omp parallel num_threads(count)
  body(omp_get_thread_num(), omp_get_num_threads());
}

#else

// ThreadSanitizer cannot see into OpenMP's library, so what its threads hand over to each other when a region begins
// and ends looks like a race. It knows the threads of the standard library.
template <class Body>
void run_threads(int count, const Body& body) {
  const auto run = [&](int thread) {
    const int before = omp_get_max_threads();
    omp_set_num_threads(1);  // what starts in here stays in its thread, as inside a parallel region
    body(thread, count);
    omp_set_num_threads(before);
  };
  std::vector<std::jthread> others;
  for (int thread = 1; thread < count; ++thread) others.emplace_back(run, thread);
  run(0);
}

#endif

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
  run_threads(parts,
              [&](int part, int count) { body(begin + length * part / count, begin + length * (part + 1) / count); });
}

/// Calls `body(i)` for every i below `count`, each thread for a run of neighbours: for few, large pieces of about equal
/// work, whose results do not depend on who does them. `body` must not throw.
template <class Body>
void parallel_items(std::int64_t count, const Body& body) {
  parallel_for(0, count, /*grain=*/1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) body(i);
  });
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
  run_threads(count, [&](int thread, int started) { body(Team(thread, started, meeting_point)); });
}

}  // namespace tinylm
