#include "train/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tinylm {
namespace {

TrainOptions options_with(const std::string& schedule, std::int64_t steps, std::int64_t warmup) {
  TrainOptions options;
  options.schedule = schedule;
  options.steps = steps;
  options.warmup = warmup;
  options.learning_rate = 1.0;
  options.min_learning_rate = 0.1;
  return options;
}

TEST(Schedule, WarmsUpInAStraightLine) {
  for (const std::string& name : schedule_names()) {
    const TrainOptions options = options_with(name, 100, 4);
    EXPECT_DOUBLE_EQ(learning_rate_at(options, 1), 0.25) << name;
    EXPECT_DOUBLE_EQ(learning_rate_at(options, 2), 0.5) << name;
    EXPECT_DOUBLE_EQ(learning_rate_at(options, 3), 0.75) << name;
    EXPECT_DOUBLE_EQ(learning_rate_at(options, 4), 1.0) << name;
  }
}

TEST(Schedule, FollowsACosine) {
  const TrainOptions options = options_with("cosine", 14, 2);  // 12 steps after the warm-up
  EXPECT_DOUBLE_EQ(learning_rate_at(options, 2), 1.0);
  EXPECT_DOUBLE_EQ(learning_rate_at(options, 6), 0.775);   // a third: 0.1 + 0.9 * (1 + cos 60 deg) / 2
  EXPECT_DOUBLE_EQ(learning_rate_at(options, 8), 0.55);    // half-way: the mean of 1 and 0.1
  EXPECT_DOUBLE_EQ(learning_rate_at(options, 10), 0.325);  // two thirds: 0.1 + 0.9 * (1 + cos 120 deg) / 2
  EXPECT_DOUBLE_EQ(learning_rate_at(options, 14), 0.1);
}

TEST(Schedule, GoesDownInAStraightLineAtTheEnd) {
  TrainOptions options = options_with("linear", 22, 2);  // 20 steps after the warm-up, the last 8 of them going down
  options.warmdown = 0.4;
  EXPECT_DOUBLE_EQ(learning_rate_at(options, 2), 1.0);
  EXPECT_DOUBLE_EQ(learning_rate_at(options, 14), 1.0);
  EXPECT_DOUBLE_EQ(learning_rate_at(options, 16), 0.775);  // a quarter of the way from 1 to 0.1
  EXPECT_DOUBLE_EQ(learning_rate_at(options, 18), 0.55);
  EXPECT_DOUBLE_EQ(learning_rate_at(options, 22), 0.1);
  options.warmdown = 0.0;
  EXPECT_DOUBLE_EQ(learning_rate_at(options, 22), 1.0);
  options.warmdown = 1.0;
  EXPECT_DOUBLE_EQ(learning_rate_at(options, 12), 0.55);
}

TEST(Schedule, IsNeverNegativeWhateverTheLengths) {
  for (const std::string& name : schedule_names()) {
    for (std::int64_t steps = 1; steps <= 6; ++steps) {
      for (std::int64_t warmup = 0; warmup <= 7; ++warmup) {
        TrainOptions options = options_with(name, steps, warmup);
        options.min_learning_rate = 0.0;
        for (std::int64_t step = 1; step <= steps; ++step) {
          const double rate = learning_rate_at(options, step);
          EXPECT_TRUE(rate >= 0.0 && rate <= 1.0)
              << name << ", " << steps << " steps, warm-up " << warmup << ": " << rate;
        }
      }
    }
  }
}

TEST(Schedule, StaysConstant) {
  const TrainOptions options = options_with("constant", 10, 0);
  EXPECT_EQ(learning_rate_at(options, 1), 1.0);
  EXPECT_EQ(learning_rate_at(options, 10), 1.0);
}

TEST(Schedule, IsAllWarmUpWhenThatIsAsLongAsTheRun) {
  const TrainOptions options = options_with("cosine", 5, 10);
  EXPECT_DOUBLE_EQ(learning_rate_at(options, 5), 0.5);
  EXPECT_DOUBLE_EQ(learning_rate_at(options_with("cosine", 5, 5), 5), 1.0);
}

TEST(Schedule, IsStretchedWhenTheRunIsExtended) {
  const TrainOptions before = options_with("cosine", 10, 0), after = options_with("cosine", 20, 0);
  EXPECT_DOUBLE_EQ(learning_rate_at(before, 10), 0.1);
  EXPECT_DOUBLE_EQ(learning_rate_at(after, 10), 0.55);
  EXPECT_DOUBLE_EQ(learning_rate_at(after, 20), 0.1);
}

TEST(PaceOf, IsTheLastOneTakenWithMinutesAndTheFixedOneOtherwise) {
  TrainOptions options = options_with("cosine", 12, 3);
  TrainingState state;
  EXPECT_EQ(pace_of(options, state).last_step, 12);
  options.minutes = 1.0;
  EXPECT_EQ(pace_of(options, state).last_step, 12) << "it has taken none yet";
  state.paces = {{3, 0.0, 12, 4}, {4, 0.125, 20, 9}};
  EXPECT_EQ(pace_of(options, state).last_step, 20);
  EXPECT_EQ(pace_of(options, state).step, 4);
  options.minutes = 0.0;
  EXPECT_EQ(pace_of(options, state).last_step, 12) << "resumed with --steps: from now on these say when it ends";
}

TEST(Schedule, RefusesAnUnknownName) {
  EXPECT_THROW(learning_rate_at(options_with("sine", 10, 0), 1), std::invalid_argument);
}

}  // namespace
}  // namespace tinylm
