// What the training loop tells those who watch it: the progress line, metrics, checkpoints.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "run/checkpoint.h"

namespace tinylm {

struct StepReport {
  std::int64_t step = 0;         // steps done, this one included
  std::int64_t total_steps = 0;  // as far as is known: with --minutes it may change at an evaluation
  double train_loss_nats = 0.0;  // mean over all predicted tokens of the step
  double gradient_norm = 0.0;    // before clipping
  std::string skipped;           // what was not finite, so that the weights were left alone; "": nothing
  double learning_rate = 0.0;
  double tokens_per_s = 0.0;  // of this step, without evaluation and saving
  TrainingState state;        // after the step and, when evaluated, the evaluation
  bool evaluated = false;
  bool is_best = false;  // evaluated, and better than every earlier evaluation
  double val_loss_nats = std::numeric_limits<double>::quiet_NaN();  // NaN unless evaluated with a validation split
  bool ends = false;  // no step follows: all are done, patience ran out, or a stop was asked for
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_step(const StepReport& report) = 0;
};

}  // namespace tinylm
