#include "inspect/report/course.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tinylm {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Metrics metrics_of_step(std::int64_t step, double loss, double val_loss = kNaN) {
  Metrics metrics;
  metrics.step = step;
  metrics.tokens_seen = 10 * step;
  metrics.elapsed_s = 0.5 * static_cast<double>(step);
  metrics.train_loss_nats = loss;
  metrics.val_loss_nats = val_loss;
  metrics.gradient_norm = 2.0 * loss;
  metrics.learning_rate = 1e-3;
  metrics.tokens_per_s = 100.0;
  return metrics;
}

TEST(Course, KeepsEachStepOfAShortRun) {
  Course course;
  EXPECT_TRUE(course.points().empty());
  EXPECT_EQ(course.best(), nullptr);
  for (std::int64_t step = 1; step <= 3; ++step) course.add(metrics_of_step(step, static_cast<double>(step)));
  const std::vector<CoursePoint> points = course.points();
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[1].step, 2);
  EXPECT_EQ(points[1].tokens_seen, 20);
  EXPECT_EQ(points[1].elapsed_s, 1.0);
  EXPECT_EQ(points[1].loss_nats, 2.0);
  EXPECT_EQ(points[1].gradient_norm, 4.0);
  EXPECT_EQ(points[1].tokens_per_s, 100.0);
  EXPECT_EQ(course.last().step, 3);
}

// 5,000 steps make 625 points of 8 steps: 1000 points of 1, 2 and 4 steps were halved.
TEST(Course, TakesStepsOfALongRunTogether) {
  Course course;
  for (std::int64_t step = 1; step <= 5000; ++step) course.add(metrics_of_step(step, static_cast<double>(step)));
  const std::vector<CoursePoint> points = course.points();
  ASSERT_EQ(points.size(), 625u);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto last = static_cast<double>(8 * (i + 1));
    ASSERT_EQ(points[i].step, 8 * (static_cast<std::int64_t>(i) + 1));
    ASSERT_EQ(points[i].loss_nats, last - 3.5) << "mean of the last eight numbers";
    ASSERT_EQ(points[i].least_loss_nats, last - 7.0);
    ASSERT_EQ(points[i].greatest_loss_nats, last);
    ASSERT_EQ(points[i].greatest_gradient_norm, 2.0 * last);
  }
}

TEST(Course, ShowsTheLastStepsThoughTheyDoNotFillAPoint) {
  Course course;
  for (std::int64_t step = 1; step <= 1001; ++step) course.add(metrics_of_step(step, 1.0));
  EXPECT_EQ(course.points().size(), 501u);
  EXPECT_EQ(course.points().back().step, 1001);
}

TEST(Course, PassesOverWhatIsNoNumber) {
  Course course;
  for (std::int64_t step = 1; step <= 1001; ++step) course.add(metrics_of_step(step, step % 2 == 0 ? kNaN : 3.0));
  const CoursePoint point = course.points().front();
  EXPECT_EQ(point.loss_nats, 3.0);
  EXPECT_EQ(point.least_loss_nats, 3.0);
  EXPECT_EQ(point.greatest_loss_nats, 3.0);
  Course nothing;
  nothing.add(metrics_of_step(1, kNaN));
  EXPECT_TRUE(std::isnan(nothing.points().front().loss_nats));
}

TEST(Course, KeepsFewEvaluationsAndTheBestAndTheLastAmongThem) {
  Course course;
  for (std::int64_t step = 1; step <= 9999; ++step) {
    course.add(metrics_of_step(step, 1.0,
                               step == 4321   ? 0.5
                               : step == 5000 ? 0.5
                                              : 1.0 + 1e-6 * static_cast<double>(step)));
  }
  const std::vector<Evaluation> evaluations = course.evaluations();
  EXPECT_LE(evaluations.size(), Course::kMostPoints + 1);
  EXPECT_GE(evaluations.size(), Course::kMostPoints / 2);
  ASSERT_NE(course.best(), nullptr);
  EXPECT_EQ(course.best()->step, 4321) << "the earliest of equal ones";
  EXPECT_EQ(evaluations.back().step, 9999);
  bool best_is_there = false;
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    best_is_there = best_is_there || evaluations[i].step == 4321;
    if (i > 0) {
      ASSERT_LT(evaluations[i - 1].step, evaluations[i].step);
    }
  }
  EXPECT_TRUE(best_is_there);
}

}  // namespace
}  // namespace tinylm
