// metrics.jsonl: one JSON object a line and step, for people and programs that draw curves.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>

#include "train/observer.h"

namespace tinylm {

/// Removes what a resumed run will write again: keeps the lines of steps up to `step`, drops later and torn ones.
/// Atomic; no file is no error. Throws FileError.
void truncate_metrics(const std::filesystem::path& file, std::int64_t step);

/// train_loss_nats of the line of `step`; NaN when the file has no such line. Throws FileError when it cannot be read.
double training_loss_at(const std::filesystem::path& file, std::int64_t step);

/// Appends a line a step and hands it to the system at once, so that a kill loses none. Keys: step, tokens_seen,
/// elapsed_s, train_loss_nats, val_loss_nats (lines of an evaluation; null without a validation split), learning_rate,
/// gradient_norm, tokens_per_s; skipped (what was not finite) on lines of skipped steps.
class MetricsObserver : public Observer {
 public:
  /// Goes on after `step`, 0 for a new run (see truncate_metrics). Throws FileError when the file cannot be written.
  MetricsObserver(const std::filesystem::path& file, std::int64_t step);
  /// Throws FileError when the line cannot be written (a full disk).
  void on_step(const StepReport& report) override;

 private:
  std::filesystem::path path_;
  std::ofstream file_;
};

}  // namespace tinylm
