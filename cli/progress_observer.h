// The live line of a training, and what is said of each evaluation.
#pragma once

#include "core/logging.h"
#include "train/observer.h"

namespace tinylm {

class ProgressObserver : public Observer {
 public:
  /// `peak_tokens_per_s`: of a training that is nothing but operations, at the rate at which this machine multiplies
  /// matrices; the line says how much of that is reached.
  explicit ProgressObserver(double peak_tokens_per_s) : peak_tokens_per_s_(peak_tokens_per_s) {}
  void on_step(const StepReport& report) override;

 private:
  double peak_tokens_per_s_;
  LiveLine line_;
  double smooth_loss_nats_ = 0.0;  // exponential mean, so that the eye can follow it
  double smooth_tokens_per_s_ = 0.0;
  bool begun_ = false;
};

}  // namespace tinylm
