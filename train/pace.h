// How a training that was given time keeps to it: how many steps there will be is reckoned anew at each evaluation,
// from how long steps have taken since the one before. Each outcome is stored (TrainingState::paces), so that a resumed
// training goes by the same numbers.
#pragma once

#include <cstdint>

#include "run/training_state.h"

namespace tinylm {

/// What is known of time when a pace is chosen, in seconds.
struct TimeForecast {
  double whole_s = 0.0;       // of the training, all told
  double left_s = 0.0;        // of that
  double step_s = 0.0;        // a step's
  double evaluation_s = 0.0;  // an evaluation's, with the saving after it
};

/// The pace from `step` on, after `last`: as many steps as fit into what is left beside the evaluations that will still
/// be made. Those come after equal factors of the time left, ten of them and the last one, fewer (but three) where they
/// would take more than an eighth of the whole: seldom at first, and often at the end, where the loss falls fastest and
/// a wrong guess of the speed could no longer be made good. The first comes after a quarter of the steps at the latest,
/// because the speed was only guessed before.
Pace next_pace(const Pace& last, std::int64_t step, const TimeForecast& time);

/// Measures steps and what lies between them, and chooses paces.
class PaceKeeper {
 public:
  /// `whole_s`: seconds of the training, all told. `elapsed_s`: of those that are over.
  PaceKeeper(double whole_s, double elapsed_s) : whole_s_(whole_s), from_s_(elapsed_s) {}

  void add_step(double seconds);
  /// Call after an evaluation, which took `evaluation_s` and ended at `elapsed_s`.
  Pace choose(const Pace& last, std::int64_t step, double elapsed_s, double evaluation_s);

 private:
  double whole_s_, from_s_;  // when the pace that holds was chosen
  double steps_s_ = 0.0;     // of the steps since
  std::int64_t steps_ = 0;
};

}  // namespace tinylm
