// Learning rates over a run.
#pragma once

#include <string>
#include <vector>

#include "train/options.h"

namespace tinylm {

std::vector<std::string> schedule_names();
/// Rate of optimizer step `step` (1..options.steps): linear warm-up over options.warmup steps, then the schedule. cosine: from
/// learning_rate to min_learning_rate, reached at the last step (Loshchilov & Hutter 2017, without restarts).
double learning_rate_at(const TrainOptions& options, std::int64_t step);

}  // namespace tinylm
