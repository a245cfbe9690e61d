// The course of a training as curves for a page: as few points as can be told apart, however long the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "train/metrics_file.h"

namespace tinylm {

/// Steps that follow each other, taken together. Means, least and greatest values are over those that are finite, NaN
/// where none is.
struct CoursePoint {
  std::int64_t step = 0;  // the last one; what stands here without mean is its value
  std::int64_t tokens_seen = 0;
  double elapsed_s = 0.0;
  double loss_nats = 0.0, least_loss_nats = 0.0, greatest_loss_nats = 0.0;  // mean, least, greatest
  double gradient_norm = 0.0, greatest_gradient_norm = 0.0;                 // mean, greatest
  double learning_rate = 0.0;
  double tokens_per_s = 0.0;  // mean
};

struct Evaluation {
  std::int64_t step = 0;
  std::int64_t tokens_seen = 0;
  double elapsed_s = 0.0;
  double loss_nats = 0.0;
};

/// Takes steps one by one and keeps at most kMostPoints points and as many evaluations: when there are more,
/// neighbouring points become one (of two evaluations the later stays). The best evaluation is kept in any case.
class Course {
 public:
  static constexpr std::size_t kMostPoints = 1000;

  void add(const Metrics& metrics);

  /// The points so far; the last may hold fewer steps than the others.
  std::vector<CoursePoint> points() const;
  std::vector<Evaluation> evaluations() const;
  /// The lowest validation loss, the earliest of equal ones; null before the first evaluation.
  const Evaluation* best() const { return has_best_ ? &best_ : nullptr; }
  /// The last step added, zeros before.
  const Metrics& last() const { return last_; }

 private:
  /// Sums from which a point is made.
  struct Bucket {
    std::int64_t steps = 0, losses = 0, norms = 0, speeds = 0;  // how many are in the sums below
    double loss = 0.0, norm = 0.0, speed = 0.0;
    CoursePoint point;  // all but the means

    void add(const Metrics& metrics);
    void add(const Bucket& later);
    CoursePoint mean() const;
  };

  void add_evaluation(const Metrics& metrics);

  std::vector<Bucket> buckets_;
  std::int64_t steps_a_bucket_ = 1;
  std::vector<Evaluation> evaluations_;
  std::int64_t evaluations_passed_ = 0;  // since the last one that was kept for good
  std::int64_t evaluations_a_point_ = 1;
  Evaluation best_;
  bool has_best_ = false;
  Metrics last_;
};

}  // namespace tinylm
