#include "inspect/report/course.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tinylm {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double mean_of(double sum, std::int64_t count) {
  return count > 0 ? sum / static_cast<double>(count) : kNaN;
}

}  // namespace

void Course::Bucket::add(const Metrics& metrics) {
  Bucket one;
  one.steps = 1;
  one.point = {
      metrics.step, metrics.tokens_seen, metrics.elapsed_s, kNaN, kNaN, kNaN, kNaN, kNaN, metrics.learning_rate, kNaN};
  if (std::isfinite(metrics.train_loss_nats)) {
    one.losses = 1;
    one.loss = one.point.least_loss_nats = one.point.greatest_loss_nats = metrics.train_loss_nats;
  }
  if (std::isfinite(metrics.gradient_norm)) {
    one.norms = 1;
    one.norm = one.point.greatest_gradient_norm = metrics.gradient_norm;
  }
  if (std::isfinite(metrics.tokens_per_s)) {
    one.speeds = 1;
    one.speed = metrics.tokens_per_s;
  }
  add(one);
}

void Course::Bucket::add(const Bucket& later) {
  const CoursePoint before = point;
  point = later.point;
  if (steps > 0) {  // fmin and fmax pass over NaN
    point.least_loss_nats = std::fmin(before.least_loss_nats, later.point.least_loss_nats);
    point.greatest_loss_nats = std::fmax(before.greatest_loss_nats, later.point.greatest_loss_nats);
    point.greatest_gradient_norm = std::fmax(before.greatest_gradient_norm, later.point.greatest_gradient_norm);
  }
  steps += later.steps;
  losses += later.losses;
  norms += later.norms;
  speeds += later.speeds;
  loss += later.loss;
  norm += later.norm;
  speed += later.speed;
}

CoursePoint Course::Bucket::mean() const {
  CoursePoint result = point;
  result.loss_nats = mean_of(loss, losses);
  result.gradient_norm = mean_of(norm, norms);
  result.tokens_per_s = mean_of(speed, speeds);
  return result;
}

void Course::add(const Metrics& metrics) {
  last_ = metrics;
  if (buckets_.empty() || buckets_.back().steps >= steps_a_bucket_) {
    if (buckets_.size() == kMostPoints) {
      for (std::size_t i = 0; i < kMostPoints / 2; ++i) {
        Bucket both = buckets_[2 * i];
        both.add(buckets_[2 * i + 1]);
        buckets_[i] = both;
      }
      buckets_.resize(kMostPoints / 2);
      steps_a_bucket_ *= 2;
    }
    buckets_.emplace_back();
  }
  buckets_.back().add(metrics);
  if (std::isfinite(metrics.val_loss_nats)) add_evaluation(metrics);
}

void Course::add_evaluation(const Metrics& metrics) {
  const Evaluation evaluation{metrics.step, metrics.tokens_seen, metrics.elapsed_s, metrics.val_loss_nats};
  if (!has_best_ || evaluation.loss_nats < best_.loss_nats) best_ = evaluation;
  has_best_ = true;
  // The last of the list is always the newest; it makes room unless its turn has come to stay.
  if (evaluations_passed_ > 0 && !evaluations_.empty()) evaluations_.pop_back();
  evaluations_.push_back(evaluation);
  evaluations_passed_ = (evaluations_passed_ + 1) % evaluations_a_point_;
  if (evaluations_passed_ != 0 || evaluations_.size() < kMostPoints) return;
  for (std::size_t i = 0; i < evaluations_.size() / 2; ++i) evaluations_[i] = evaluations_[2 * i + 1];
  evaluations_.resize(evaluations_.size() / 2);
  evaluations_a_point_ *= 2;
}

std::vector<CoursePoint> Course::points() const {
  std::vector<CoursePoint> points;
  for (const Bucket& bucket : buckets_) points.push_back(bucket.mean());
  return points;
}

std::vector<Evaluation> Course::evaluations() const {
  std::vector<Evaluation> all = evaluations_;
  if (!has_best_) return all;
  const auto place = std::lower_bound(all.begin(), all.end(), best_.step,
                                      [](const Evaluation& one, std::int64_t step) { return one.step < step; });
  if (place == all.end() || place->step != best_.step) all.insert(place, best_);
  return all;
}

}  // namespace tinylm
