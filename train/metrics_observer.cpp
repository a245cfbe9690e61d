#include "train/metrics_observer.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <string>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/files.h"

namespace tinylm {
namespace {

nlohmann::ordered_json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

/// Whether the line is whole and belongs to a step up to `step`.
bool belongs(const std::string& line, std::int64_t step) {
  const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("step") || !json["step"].is_number_integer()) return false;
  return json["step"].get<std::int64_t>() <= step;
}

}  // namespace

void truncate_metrics(const std::filesystem::path& file, std::int64_t step) {
  if (!std::filesystem::exists(file)) return;
  const std::string content = read_file(file);
  std::string kept;
  for (std::size_t begin = 0; begin < content.size();) {
    const std::size_t end = content.find('\n', begin);
    if (end == std::string::npos) break;  // torn by a kill
    const std::string line = content.substr(begin, end - begin);
    if (belongs(line, step)) kept += line + "\n";
    begin = end + 1;
  }
  if (kept != content) write_atomically(file, kept);
}

MetricsObserver::MetricsObserver(const std::filesystem::path& file, std::int64_t step) : path_(file) {
  truncate_metrics(file, step);
  file_.open(file, std::ios::app);
  if (!file_) throw FileError("cannot open " + file.string() + " for writing: " + std::strerror(errno));
}

void MetricsObserver::on_step(const StepReport& report) {
  nlohmann::ordered_json line;
  line["step"] = report.state.step;
  line["tokens_seen"] = report.state.tokens_seen;
  line["elapsed_s"] = report.state.elapsed_s;
  line["train_loss_nats"] = number_or_null(report.train_loss_nats);
  if (report.evaluated) line["val_loss_nats"] = number_or_null(report.val_loss_nats);
  line["learning_rate"] = report.learning_rate;
  line["gradient_norm"] = number_or_null(report.gradient_norm);
  line["tokens_per_s"] = number_or_null(report.tokens_per_s);
  file_ << line.dump() + "\n" << std::flush;
  if (!file_) throw FileError("cannot write " + path_.string() + ": " + std::strerror(errno));
}

}  // namespace tinylm
