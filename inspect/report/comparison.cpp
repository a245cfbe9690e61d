#include "inspect/report/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/json_numbers.h"
#include "core/numbers.h"
#include "core/text_table.h"

namespace tinylm {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kNoLoss = std::numeric_limits<double>::quiet_NaN();

double best_loss(const RunReport& run) {
  return run.course.best() != nullptr ? run.course.best()->loss_nats : kNoLoss;
}
std::int64_t best_step(const RunReport& run) {
  return run.course.best() != nullptr ? run.course.best()->step : 0;
}

double last_val_loss(const RunReport& run) {
  const std::vector<Evaluation> evaluations = run.course.evaluations();
  return evaluations.empty() ? kNoLoss : evaluations.back().loss_nats;
}

/// Of the last point, which is a mean over some steps where a run has many.
double last_speed(const RunReport& run) {
  const std::vector<CoursePoint> points = run.course.points();
  return points.empty() ? kNoLoss : points.back().tokens_per_s;
}

std::string loss_text(double nats) {
  return std::isnan(nats) ? "-" : fixed(nats, 4);
}

TableRow result_row(const RunReport& run) {
  const Metrics& last = run.course.last();
  const double speed = last_speed(run);
  return {run.name,
          grouped(last.step) + " of " + grouped(run.total_steps),
          grouped(last.tokens_seen),
          human_seconds(last.elapsed_s),
          grouped(run.parameters),
          loss_text(best_loss(run)),
          std::isnan(best_loss(run)) ? "-" : grouped(best_step(run)),
          loss_text(last_val_loss(run)),
          std::isnan(speed) ? "-" : grouped(std::llround(speed))};
}

bool same(const std::vector<RunReport>& runs, std::string RunReport::*field) {
  return std::all_of(runs.begin(), runs.end(), [&](const RunReport& run) { return run.*field == runs.front().*field; });
}

}  // namespace

std::vector<std::string> comparison_notes(const std::vector<RunReport>& runs) {
  if (!same(runs, &RunReport::tokenizer_fingerprint)) {
    return {
        "the runs have different tokenizers: a loss is one of each run's own tokens, so their losses cannot be "
        "compared"};
  }
  if (!same(runs, &RunReport::validation_text)) {
    return {"the runs hold out different texts: their validation losses cannot be compared"};
  }
  if (!same(runs, &RunReport::training_text)) {
    return {
        "the runs learned from different texts: their validation losses, on the same text, can be compared, their "
        "training losses cannot"};
  }
  return {};
}

std::vector<Difference> differing_settings(const std::vector<RunReport>& runs) {
  std::vector<Json> configurations;
  for (const RunReport& run : runs) configurations.push_back(Json::parse(run.config_json));
  std::vector<Difference> differences;
  for (const auto& [section, settings] : configurations.front().items()) {
    for (const auto& [key, ignored] : settings.items()) {
      std::vector<std::string> values;
      for (const Json& configuration : configurations) {
        const bool known = configuration.contains(section) && configuration[section].contains(key);
        values.push_back(known ? configuration[section][key].dump() : "");
      }
      const bool differs = std::any_of(values.begin(), values.end(), [&](const auto& one) { return one != values[0]; });
      if (differs) differences.emplace_back(section + "." + key, values);
    }
  }
  return differences;
}

std::string comparison_table(const std::vector<RunReport>& runs) {
  std::vector<TableRow> results = {
      {"run", "steps", "tokens", "time", "parameters", "best val", "at step", "last val", "tokens/s"}};
  for (const RunReport& run : runs) results.push_back(result_row(run));
  std::vector<TableRow> settings = {{"setting"}};
  for (const RunReport& run : runs) settings[0].push_back(run.name);
  for (const auto& [name, values] : differing_settings(runs)) {
    settings.push_back({name});
    settings.back().insert(settings.back().end(), values.begin(), values.end());
  }
  const std::vector<Side> sides = {Side::kLeft};
  return text_table(results, sides) + "\n" +
         (settings.size() > 1 ? text_table(settings, sides) : "no setting differs\n");
}

std::string comparison_json(const std::vector<RunReport>& runs) {
  Json list = Json::array(), differences = Json::object();
  for (const RunReport& run : runs) {
    const Metrics& last = run.course.last();
    list.push_back({{"name", run.name},
                    {"status", run.status},
                    {"step", last.step},
                    {"total_steps", run.total_steps},
                    {"tokens_seen", last.tokens_seen},
                    {"elapsed_s", last.elapsed_s},
                    {"parameters", run.parameters},
                    {"train_loss_nats", number_or_null(last.train_loss_nats)},
                    {"best_val_loss_nats", number_or_null(best_loss(run))},
                    {"best_step", best_step(run)},
                    {"last_val_loss_nats", number_or_null(last_val_loss(run))},
                    {"tokens_per_s", number_or_null(last_speed(run))}});
  }
  for (const auto& [name, values] : differing_settings(runs)) {
    for (const std::string& value : values) {
      differences[name].push_back(value.empty() ? Json(nullptr) : Json::parse(value));
    }
  }
  const Json json = {{"runs", list}, {"differences", differences}, {"notes", comparison_notes(runs)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tinylm
