#include "train/pace.h"

#include <algorithm>
#include <cmath>

#include "train/schedule.h"

namespace tinylm {
namespace {

constexpr double kEvaluationsShare = 0.125;                         // of the whole time, where that allows the least
constexpr double kLeastEvaluations = 3.0, kMostEvaluations = 10.0;  // besides the last
constexpr double kFirstShare = 0.25;  // of the steps come before the first evaluation at most
constexpr double kLastShare = 0.03;   // of the time is left after the last evaluation but one

/// What an evaluation multiplies the time left by.
double factor_between(const TimeForecast& time) {
  const double affordable = kEvaluationsShare * time.whole_s / std::max(time.evaluation_s, 1e-9);
  return std::pow(kLastShare, 1.0 / std::clamp(std::floor(affordable), kLeastEvaluations, kMostEvaluations));
}

/// How many evaluations come before the last one.
double evaluations_before_end(const TimeForecast& time, double factor) {
  const double share = time.left_s / time.whole_s;
  if (share <= kLastShare) return 0.0;
  const double wanted = std::ceil(std::log(kLastShare / share) / std::log(factor) - 1e-6);
  const double half = std::floor(0.5 * time.left_s / std::max(time.evaluation_s, 1e-9));  // leaves half to steps
  return std::clamp(wanted, 0.0, std::max(0.0, half - 1.0));
}

}  // namespace

Pace next_pace(const Pace& last, std::int64_t step, const TimeForecast& time) {
  const double factor = factor_between(time), before_end = evaluations_before_end(time, factor);
  const double for_steps_s = time.left_s - (before_end + 1.0) * time.evaluation_s;
  const auto steps = static_cast<std::int64_t>(std::max(0.0, for_steps_s / time.step_s));
  const double until_next = before_end == 0.0 ? 1.0 : step == 0 ? std::min(kFirstShare, 1.0 - factor) : 1.0 - factor;
  Pace pace{.step = step, .progress = progress_at(last, step), .last_step = step + steps};
  pace.next_evaluation = step + static_cast<std::int64_t>(std::ceil(until_next * static_cast<double>(steps)));
  return pace;
}

void PaceKeeper::add_step(double seconds) {
  steps_s_ += seconds;
  ++steps_;
}

Pace PaceKeeper::choose(const Pace& last, std::int64_t step, double elapsed_s, double evaluation_s) {
  TimeForecast time{.whole_s = whole_s_, .left_s = whole_s_ - elapsed_s};
  time.step_s = steps_s_ / static_cast<double>(std::max<std::int64_t>(1, steps_));
  time.evaluation_s = std::max(evaluation_s, elapsed_s - from_s_ - steps_s_);  // with the saving of the one before
  from_s_ = elapsed_s;
  steps_s_ = 0.0;
  steps_ = 0;
  return next_pace(last, step, time);
}

}  // namespace tinylm
