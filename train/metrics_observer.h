// Writes metrics.jsonl while a run is trained.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>

#include "train/observer.h"

namespace tinylm {

/// Appends a line a step (metrics_line()) and hands it to the system at once, so that a kill loses none.
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
