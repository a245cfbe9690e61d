// Learning rates over a run. A rate is a function of (options, step, pace) and of nothing else, so a resumed run goes
// on as if it had never stopped. A run that is extended (--resume RUN --steps N) therefore gets its schedule stretched
// to N steps: at the old last step the rate returns to where the longer schedule has it, above min_learning_rate, and
// falls from there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run/training_state.h"
#include "train/options.h"

namespace tinylm {

std::vector<std::string> schedule_names();

/// The pace of a training of options.steps steps, and the first one of a training that was given minutes.
Pace fixed_pace(const TrainOptions& options);
/// The pace of a training that stands at `state`: with options.minutes the last one it took, else, and before it took
/// any, fixed_pace().
Pace pace_of(const TrainOptions& options, const TrainingState& state);

/// How far a training is at `step`, from 0 at the end of its warm-up to 1 at its last step.
double progress_at(const Pace& pace, std::int64_t step);

/// Rate of optimizer step `step` (1..pace.last_step): linear warm-up over options.warmup steps, the last of which has
/// learning_rate, then the schedule. cosine: from learning_rate to min_learning_rate, reached at the last step
/// (Loshchilov & Hutter 2017, without restarts). linear: learning_rate until the last options.warmdown of the steps
/// after the warm-up, then in a straight line to min_learning_rate, reached at the last step (a "trapezoid", Hägele et
/// al. 2024); warmdown 0: no decay. constant: learning_rate. A warm-up as long as the run or longer is all there is.
double learning_rate_at(const TrainOptions& options, const Pace& pace, std::int64_t step);
/// The same for a training of options.steps steps.
double learning_rate_at(const TrainOptions& options, std::int64_t step);

}  // namespace tinylm
