#include "inspect/report/report_page.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include <nlohmann/json.hpp>

#include "inspect/page_data.h"

namespace tinylm {

extern const std::string_view kReportPage;  // joined from the files of this folder by cmake/Page.cmake

namespace {

using Json = nlohmann::ordered_json;

constexpr int kReloadSeconds = 10;

/// Seven significant digits: more than a page can show, and less than half of the bytes.
Json rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  std::array<char, 32> text{};
  const char* const end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 7).ptr;
  double result = 0.0;
  std::from_chars(text.data(), end, result);
  return result;
}

/// A list with one number of each entry.
template <class Entry, class Number>
Json column(const std::vector<Entry>& entries, Number Entry::*field) {
  Json list = Json::array();
  for (const Entry& entry : entries) {
    if constexpr (std::is_integral_v<Number>) {
      list.push_back(entry.*field);
    } else {
      list.push_back(rounded(entry.*field));
    }
  }
  return list;
}

Json course_json(const Course& course) {
  const std::vector<CoursePoint> points = course.points();
  return {{"step", column(points, &CoursePoint::step)},
          {"tokens", column(points, &CoursePoint::tokens_seen)},
          {"time", column(points, &CoursePoint::elapsed_s)},
          {"loss", column(points, &CoursePoint::loss_nats)},
          {"loss_least", column(points, &CoursePoint::least_loss_nats)},
          {"loss_greatest", column(points, &CoursePoint::greatest_loss_nats)},
          {"norm", column(points, &CoursePoint::gradient_norm)},
          {"norm_greatest", column(points, &CoursePoint::greatest_gradient_norm)},
          {"rate", column(points, &CoursePoint::learning_rate)},
          {"speed", column(points, &CoursePoint::tokens_per_s)}};
}

Json evaluations_json(const Course& course) {
  const std::vector<Evaluation> evaluations = course.evaluations();
  return {{"step", column(evaluations, &Evaluation::step)},
          {"tokens", column(evaluations, &Evaluation::tokens_seen)},
          {"time", column(evaluations, &Evaluation::elapsed_s)},
          {"loss", column(evaluations, &Evaluation::loss_nats)}};
}

/// At most kMostSamples, the first and the last among them.
Json samples_json(const std::vector<TrainingSample>& samples) {
  Json list = Json::array();
  const std::size_t shown = std::min(samples.size(), kMostSamples);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t place = shown == samples.size() ? i : i * (samples.size() - 1) / (shown - 1);
    const TrainingSample& sample = samples[place];
    list.push_back({{"step", sample.step}, {"prompt", sample.prompt}, {"text", sample.text}});
  }
  return list;
}

Json run_json(const RunReport& run) {
  Json best = nullptr;
  if (const Evaluation* evaluation = run.course.best())
    best = {{"step", evaluation->step}, {"loss", rounded(evaluation->loss_nats)}};
  return {{"name", run.name},
          {"status", run.status},
          {"parameters", run.parameters},
          {"total_steps", run.total_steps},
          {"tokenizer", run.tokenizer},
          {"vocabulary", run.vocabulary_size},
          {"course", course_json(run.course)},
          {"evaluations", evaluations_json(run.course)},
          {"best", best},
          {"samples", samples_json(run.samples)},
          {"config", Json::parse(run.config_json)},
          {"sessions", Json::parse(sessions_json(run.sessions)).at("sessions")}};
}

}  // namespace

std::string report_page(const std::vector<RunReport>& runs, bool live, const std::vector<std::string>& notes) {
  Json data = {{"written", utc_now()}, {"live", live}, {"reload_s", kReloadSeconds}, {"notes", notes}};
  data["runs"] = Json::array();
  for (const RunReport& run : runs) data["runs"].push_back(run_json(run));
  return filled_page(kReportPage, data);
}

}  // namespace tinylm
