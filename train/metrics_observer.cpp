#include "train/metrics_observer.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/files.h"

namespace tinylm {
namespace {

nlohmann::ordered_json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

/// The line as an object with a step; null when it is none.
nlohmann::json metrics_of(const std::string& line) {
  auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  const bool whole = json.is_object() && json.contains("step") && json["step"].is_number_integer();
  return whole ? json : nlohmann::json();
}

/// Calls `use` with each line that has its newline; what a kill tore off is left out.
template <class Use>
void for_each_whole_line(const std::string& content, const Use& use) {
  for (std::size_t begin = 0; begin < content.size();) {
    const std::size_t end = content.find('\n', begin);
    if (end == std::string::npos) return;
    use(content.substr(begin, end - begin));
    begin = end + 1;
  }
}

}  // namespace

void truncate_metrics(const std::filesystem::path& file, std::int64_t step) {
  if (!std::filesystem::exists(file)) return;
  const std::string content = read_file(file);
  std::string kept;
  for_each_whole_line(content, [&](const std::string& line) {
    const nlohmann::json metrics = metrics_of(line);
    if (!metrics.is_null() && metrics["step"].get<std::int64_t>() <= step) kept += line + "\n";
  });
  if (kept != content) write_atomically(file, kept);
}

double training_loss_at(const std::filesystem::path& file, std::int64_t step) {
  double loss = std::numeric_limits<double>::quiet_NaN();
  if (!std::filesystem::exists(file)) return loss;
  for_each_whole_line(read_file(file), [&](const std::string& line) {
    const nlohmann::json metrics = metrics_of(line);
    if (metrics.is_null() || metrics["step"].get<std::int64_t>() != step) return;
    if (metrics.contains("train_loss_nats") && metrics["train_loss_nats"].is_number())
      loss = metrics["train_loss_nats"];
  });
  return loss;
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
  if (!report.skipped.empty()) line["skipped"] = report.skipped;
  line["tokens_per_s"] = number_or_null(report.tokens_per_s);
  file_ << line.dump() + "\n" << std::flush;
  if (!file_) throw FileError("cannot write " + path_.string() + ": " + std::strerror(errno));
}

}  // namespace tinylm
