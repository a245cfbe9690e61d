// What metrics.jsonl says, as curves for TensorBoard (--tensorboard).
#pragma once

#include <cstdint>
#include <filesystem>

#include "train/observer.h"
#include "train/tensorboard/event_file.h"

namespace tinylm {

/// Tags: loss/training, loss/validation (at evaluations), learning_rate, gradient_norm, tokens_per_s.
class TensorboardObserver : public Observer {
 public:
  /// Writes a new event file in `folder` for the steps after `step`. Throws FileError.
  TensorboardObserver(const std::filesystem::path& folder, std::int64_t step) : file_(folder, step + 1) {}
  void on_step(const StepReport& report) override;

 private:
  EventFile file_;
};

}  // namespace tinylm
