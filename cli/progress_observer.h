// The live line of a training: step, losses, speed, time left.
#pragma once

#include "core/logging.h"
#include "train/observer.h"

namespace tinylm {

class ProgressObserver : public Observer {
 public:
  void on_step(const StepReport& report) override;

 private:
  LiveLine line_;
  double smooth_loss_nats_ = 0.0;  // exponential mean, so that the eye can follow it
  double smooth_tokens_per_s_ = 0.0;
  double last_val_loss_nats_ = 0.0;
  bool has_val_loss_ = false;
  bool begun_ = false;
};

}  // namespace tinylm
