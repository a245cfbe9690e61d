// Where a training stands: what a checkpoint's state.json says besides the weights, and all that a resume goes by.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace tinylm {

/// How steps become progress from `step` on: 0 is the end of the warm-up, 1 the last step. A training of a fixed number
/// of steps has one pace all along; one that was given time instead (--minutes) takes a new one at each evaluation.
struct Pace {
  std::int64_t step = 0;             // it holds from here on
  double progress = 0.0;             // at `step`
  std::int64_t last_step = 0;        // where progress is 1
  std::int64_t next_evaluation = 0;  // the step of it; with --minutes alone
};

/// Losses that do not exist are NaN here and null in state.json.
struct TrainingState {
  std::int64_t step = 0;         // optimizer steps done
  std::int64_t tokens_seen = 0;  // targets trained on
  double elapsed_s = 0.0;        // wall time of training with its evaluations and savings, over all sessions; with
                                 // --minutes also of what came before the first step
  double best_val_loss_nats = std::numeric_limits<double>::quiet_NaN();
  std::int64_t best_step = 0;
  double last_val_loss_nats = std::numeric_limits<double>::quiet_NaN();
  std::int64_t evaluations_without_gain = 0;  // since the best, for --patience
  bool stopped_early = false;                 // patience ran out
  std::int64_t skipped_steps = 0;             // that left the weights alone, for --on-nan skip
  std::int64_t skipped_in_a_row = 0;          // the latest of them
  std::vector<Pace> paces;                    // every one that was taken, with --minutes; the last one holds
};

}  // namespace tinylm
