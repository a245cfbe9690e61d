// metrics.jsonl: one JSON object a line and step, for people and programs that draw curves. The one place that knows
// its keys.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "train/observer.h"

namespace tinylm {

/// A line: what one step says. Numbers that are not there or not finite are NaN.
struct Metrics {
  std::int64_t step = 0;
  std::int64_t tokens_seen = 0;
  double elapsed_s = 0.0;
  double train_loss_nats = std::numeric_limits<double>::quiet_NaN();
  double val_loss_nats = std::numeric_limits<double>::quiet_NaN();
  double learning_rate = std::numeric_limits<double>::quiet_NaN();
  double gradient_norm = std::numeric_limits<double>::quiet_NaN();
  double tokens_per_s = std::numeric_limits<double>::quiet_NaN();
};

Metrics metrics_of(const StepReport& report);

/// The line of a step, without its newline. Keys: step, tokens_seen, elapsed_s, train_loss_nats, val_loss_nats (lines
/// of an evaluation; null without a validation split), learning_rate, gradient_norm, tokens_per_s; skipped (what was
/// not finite) on lines of skipped steps.
std::string metrics_line(const StepReport& report);

/// Calls `use` with each whole line in order; lines that are torn or none are passed over. The file is read line by
/// line, so memory does not grow with it; no file has no lines. Throws FileError when it cannot be read.
void for_each_metrics(const std::filesystem::path& file, const std::function<void(const Metrics&)>& use);

/// The same for any file of JSON objects with a whole "step", one a line.
void for_each_step_line(const std::filesystem::path& file, const std::function<void(const nlohmann::json&)>& use);

/// Removes what a resumed run will write again from a file of JSON objects with a "step", one a line: keeps the lines
/// of steps up to `step`, drops later and torn ones. Atomic; no file is no error. Throws FileError.
void truncate_metrics(const std::filesystem::path& file, std::int64_t step);

/// train_loss_nats of the line of `step`; NaN when the file has no such line. Throws FileError when it cannot be read.
double training_loss_at(const std::filesystem::path& file, std::int64_t step);

}  // namespace tinylm
