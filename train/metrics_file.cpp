#include "train/metrics_file.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/files.h"
#include "core/json_numbers.h"

namespace tinylm {
namespace {

/// NaN also for a key that is missing or has no number.
double number_at(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return number_or_nan(found != json.end() && found->is_number() ? *found : nlohmann::json());
}

/// The line as an object with a step; null when it is none.
nlohmann::json object_of(const std::string& line) {
  auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  const bool whole = json.is_object() && json.contains("step") && json["step"].is_number_integer();
  return whole ? json : nlohmann::json();
}

Metrics metrics_of(const nlohmann::json& json) {
  Metrics metrics;
  metrics.step = json["step"];
  const double tokens = number_at(json, "tokens_seen"), elapsed_s = number_at(json, "elapsed_s");
  if (std::isfinite(tokens)) metrics.tokens_seen = std::llround(tokens);
  if (std::isfinite(elapsed_s)) metrics.elapsed_s = elapsed_s;
  metrics.train_loss_nats = number_at(json, "train_loss_nats");
  metrics.val_loss_nats = number_at(json, "val_loss_nats");
  metrics.learning_rate = number_at(json, "learning_rate");
  metrics.gradient_norm = number_at(json, "gradient_norm");
  metrics.tokens_per_s = number_at(json, "tokens_per_s");
  return metrics;
}

/// Calls `use` with each line that has its newline; what a kill tore off is left out.
void for_each_whole_line(const std::filesystem::path& file, const std::function<void(const std::string&)>& use) {
  if (!std::filesystem::exists(file)) return;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw FileError("cannot open " + file.string() + ": " + std::strerror(errno));
  for (std::string line; std::getline(stream, line) && !stream.eof();) use(line);
  if (stream.bad()) throw FileError("cannot read " + file.string() + ": " + std::strerror(errno));
}

}  // namespace

Metrics metrics_of(const StepReport& report) {
  return {report.state.step,    report.state.tokens_seen, report.state.elapsed_s, report.train_loss_nats,
          report.val_loss_nats, report.learning_rate,     report.gradient_norm,   report.tokens_per_s};
}

std::string metrics_line(const StepReport& report) {
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
  return line.dump();
}

void for_each_step_line(const std::filesystem::path& file, const std::function<void(const nlohmann::json&)>& use) {
  for_each_whole_line(file, [&](const std::string& line) {
    const nlohmann::json object = object_of(line);
    if (!object.is_null()) use(object);
  });
}

void for_each_metrics(const std::filesystem::path& file, const std::function<void(const Metrics&)>& use) {
  for_each_step_line(file, [&](const nlohmann::json& line) { use(metrics_of(line)); });
}

void truncate_metrics(const std::filesystem::path& file, std::int64_t step) {
  if (!std::filesystem::exists(file)) return;
  std::string kept;
  for_each_whole_line(file, [&](const std::string& line) {
    const nlohmann::json object = object_of(line);
    if (!object.is_null() && object["step"].get<std::int64_t>() <= step) kept += line + "\n";
  });
  if (kept != read_file(file)) write_atomically(file, kept);
}

double training_loss_at(const std::filesystem::path& file, std::int64_t step) {
  double loss = std::numeric_limits<double>::quiet_NaN();
  for_each_metrics(file, [&](const Metrics& metrics) {
    if (metrics.step == step && std::isfinite(metrics.train_loss_nats)) loss = metrics.train_loss_nats;
  });
  return loss;
}

}  // namespace tinylm
