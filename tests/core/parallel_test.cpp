#include "core/parallel.h"

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

namespace tinylm {
namespace {

TEST(ParallelFor, CoversEachIndexOnce) {
  for (const std::int64_t count : {0, 1, 7, 1000}) {
    for (const std::int64_t grain : {0, 1, 3, 5000}) {
      std::vector<int> visits(static_cast<std::size_t>(count), 0);
      parallel_for(0, count, grain, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) ++visits[static_cast<std::size_t>(i)];
      });
      EXPECT_EQ(std::accumulate(visits.begin(), visits.end(), std::int64_t{0}), count);
      for (const int visit : visits) EXPECT_EQ(visit, 1);
    }
  }
}

TEST(ParallelFor, UsesSeveralThreadsForALongRange) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(2);
  std::mutex mutex;
  std::map<std::int64_t, std::int64_t> ranges;
  std::set<std::thread::id> threads;
  parallel_for(10, 20, 1, [&](std::int64_t first, std::int64_t last) {
    const std::lock_guard lock(mutex);
    ranges[first] = last;
    threads.insert(std::this_thread::get_id());
  });
  omp_set_num_threads(before);
  EXPECT_EQ(ranges, (std::map<std::int64_t, std::int64_t>{{10, 15}, {15, 20}}));
  EXPECT_EQ(threads.size(), 2U);
}

TEST(ParallelFor, StaysInTheCallingThreadForAShortRangeOrInsideAnother) {
  int calls = 0;
  parallel_for(0, 10, 100, [&](std::int64_t, std::int64_t) { ++calls; });
  EXPECT_EQ(calls, 1);
  run_threads(2, [](int, int) {
    int inner_calls = 0;
    parallel_for(0, 1000, 1, [&](std::int64_t first, std::int64_t last) {
      ++inner_calls;
      EXPECT_EQ(last - first, 1000);
    });
    EXPECT_EQ(inner_calls, 1);
  });
}

TEST(ParallelItems, CallsEachItemOnceAndStaysInTheCallingThreadInsideAnother) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(3);
  for (const std::int64_t count : {0, 1, 2, 3, 100}) {
    std::vector<int> calls(static_cast<std::size_t>(count), 0);
    parallel_items(count, [&](std::int64_t i) { ++calls[static_cast<std::size_t>(i)]; });
    EXPECT_EQ(calls, std::vector<int>(static_cast<std::size_t>(count), 1));
  }
  run_threads(2, [](int, int) {
    const std::thread::id here = std::this_thread::get_id();
    parallel_items(10, [&](std::int64_t) { EXPECT_EQ(std::this_thread::get_id(), here); });
  });
  omp_set_num_threads(before);
}

TEST(Team, SharesAndWaitsSoThatEachStageSeesTheOneBefore) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(3);
  constexpr std::int64_t kLength = 1000;
  std::vector<int> first(kLength), second(kLength);
  for (int round = 0; round < 100; ++round) {
    run_team(3, [&](const Team& team) {
      EXPECT_EQ(team.threads(), 3);
      const auto [begin, end] = team.share(kLength);
      for (std::int64_t i = begin; i < end; ++i) first[i] = round + static_cast<int>(i);
      team.wait();
      for (std::int64_t i = begin; i < end; ++i) second[i] = first[kLength - 1 - i];
    });
    for (std::int64_t i = 0; i < kLength; ++i) ASSERT_EQ(second[i], round + kLength - 1 - i);
  }
  omp_set_num_threads(before);
}

TEST(Team, IsTheCallingThreadAloneInsideAnother) {
  run_threads(2, [](int, int) {
    run_team(2, [&](const Team& team) {
      EXPECT_EQ(team.threads(), 1);
      team.wait();
      EXPECT_EQ(team.share(7), std::make_pair(std::int64_t{0}, std::int64_t{7}));
    });
  });
}

}  // namespace
}  // namespace tinylm
