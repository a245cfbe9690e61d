#include "train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace tinylm {
namespace {

/// Learning rate at `progress`, which goes from 0 (end of the warm-up) to 1 (last step).
using Schedule = double (*)(const TrainOptions& options, double progress);

double cosine(const TrainOptions& options, double progress) {
  const double share = 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
  return options.min_learning_rate + (options.learning_rate - options.min_learning_rate) * share;
}

double linear(const TrainOptions& options, double progress) {
  const double share = options.warmdown > 0.0 ? std::min(1.0, (1.0 - progress) / options.warmdown) : 1.0;
  return options.min_learning_rate + (options.learning_rate - options.min_learning_rate) * share;
}

double constant(const TrainOptions& options, double) {
  return options.learning_rate;
}

struct NamedSchedule {
  const char* name;
  Schedule rate;
};
constexpr NamedSchedule kSchedules[] = {{"cosine", cosine}, {"linear", linear}, {"constant", constant}};

}  // namespace

std::vector<std::string> schedule_names() {
  std::vector<std::string> names;
  for (const auto& schedule : kSchedules) names.emplace_back(schedule.name);
  return names;
}

Pace fixed_pace(const TrainOptions& options) {
  return {.step = options.warmup, .progress = 0.0, .last_step = options.steps, .next_evaluation = options.eval_every};
}

Pace pace_of(const TrainOptions& options, const TrainingState& state) {
  return options.minutes > 0.0 && !state.paces.empty() ? state.paces.back() : fixed_pace(options);
}

double progress_at(const Pace& pace, std::int64_t step) {
  const double length = static_cast<double>(std::max<std::int64_t>(1, pace.last_step - pace.step));
  const double share = static_cast<double>(step - pace.step) / length;
  return std::clamp(pace.progress + (1.0 - pace.progress) * share, 0.0, 1.0);
}

double learning_rate_at(const TrainOptions& options, std::int64_t step) {
  return learning_rate_at(options, fixed_pace(options), step);
}

double learning_rate_at(const TrainOptions& options, const Pace& pace, std::int64_t step) {
  if (step < options.warmup) {
    return options.learning_rate * static_cast<double>(step) / static_cast<double>(options.warmup);
  }
  const double progress = progress_at(pace, step);
  for (const auto& schedule : kSchedules) {
    if (options.schedule == schedule.name) return schedule.rate(options, progress);
  }
  throw std::invalid_argument("unknown schedule " + options.schedule);  // validate() names the known ones
}

}  // namespace tinylm
