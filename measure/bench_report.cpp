#include "measure/bench_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/numbers.h"

namespace tinylm {
namespace {

/// About three digits.
std::string readable(double value) {
  const double size = std::abs(value);
  if (size >= 1000.0) return grouped(std::llround(value));
  return fixed(value, size >= 100.0 ? 0 : size >= 10.0 ? 1 : size >= 1.0 ? 2 : 3);
}

std::string padded(const std::string& text, std::size_t width, bool right = false) {
  const std::string space(width > text.size() ? width - text.size() : 0, ' ');
  return right ? space + text : text + space;
}

constexpr std::size_t kNumberWidth = 11, kUnitWidth = 10;

std::string line_of(const BenchResult& result, std::size_t width) {
  return "  " + padded(result.name, width) + padded(readable(result.value), kNumberWidth, true) + " " +
         padded(result.unit, kUnitWidth) + "  " + std::to_string(result.kept) + " of " + std::to_string(result.rounds) +
         (result.kept == 0 ? ", a slow machine" : "") + "\n";
}

std::string line_of(const BenchRatio& ratio, std::size_t width) {
  return "  " + padded(ratio.name, width) + padded(readable(ratio.value), kNumberWidth, true) + " " +
         padded("", kUnitWidth) + "  " + ratio.meaning + "\n";
}

template <class Lines>
std::string lines_of(const Lines& lines, const std::string& section, std::size_t width) {
  std::string text;
  for (const auto& line : lines)
    if (line.section == section) text += line_of(line, width);
  return text;
}

}  // namespace

BenchReport bench_report(const MachineReport& machine, Ops ops, const Suite& suite, const Rounds& rounds) {
  BenchReport report{machine, ops, {}, {}};
  for (const ResultRule& rule : suite.results) {
    const std::optional<Timing> timing = rounds.timing(rule.of);
    if (!timing) continue;
    const double value = rule.rate ? rule.factor / timing->median_s : rule.factor * timing->median_s;
    report.results.push_back({rule.section, rule.name, rule.unit, value, timing->kept, timing->rounds});
  }
  for (const RatioRule& rule : suite.ratios) {
    const std::optional<double> ratio = rounds.ratio(rule.over, rule.under);
    if (ratio) report.ratios.push_back({rule.section, rule.name, rule.meaning, rule.factor * *ratio + rule.offset});
  }
  return report;
}

std::string to_json(const BenchReport& report) {
  nlohmann::ordered_json json;
  json["machine"] = nlohmann::ordered_json::parse(to_json(report.machine));
  json["precision"] = report.ops == Ops::kBfloat16 ? "bf16" : "fp32";
  json["formula"] = kFlopsFormula;
  json["results"] = nlohmann::ordered_json::array();
  for (const BenchResult& result : report.results) {
    json["results"].push_back({{"name", result.name},
                               {"value", result.value},
                               {"unit", result.unit},
                               {"kept", result.kept},
                               {"rounds", result.rounds}});
  }
  json["ratios"] = nlohmann::ordered_json::object();
  for (const BenchRatio& ratio : report.ratios) json["ratios"][ratio.name] = ratio.value;
  return json.dump(2);
}

std::string to_text(const BenchReport& report) {
  std::vector<std::string> sections;
  std::size_t width = 0;
  const auto learn = [&](const auto& lines) {
    for (const auto& line : lines) {
      if (std::find(sections.begin(), sections.end(), line.section) == sections.end()) sections.push_back(line.section);
      width = std::max(width, line.name.size());
    }
  };
  learn(report.results);
  learn(report.ratios);
  std::string text = report.machine.processor.name + ", " + std::to_string(report.machine.threads) +
                     " thread(s), loops in " + report.machine.instruction_set + " code, libtorch " +
                     report.machine.libtorch + ", oneDNN " + report.machine.onednn + ", trainings in " +
                     (report.ops == Ops::kBfloat16 ? "bfloat16" : "float32") + "\n";
  for (const std::string& section : sections) {
    const bool has_results = std::any_of(report.results.begin(), report.results.end(),
                                         [&](const BenchResult& result) { return result.section == section; });
    text += "\n" + padded(section, width + kNumberWidth + kUnitWidth + 5) + (has_results ? "rounds kept" : "") + "\n" +
            lines_of(report.results, section, width) + lines_of(report.ratios, section, width);
  }
  text += std::string("\nGFLOP/s of training: ") + kFlopsFormula + "\n";
  const std::string advice = advice_on_blas(report.machine.blas_gflops, report.machine.threads);
  return advice.empty() ? text : text + "\n" + advice + "\n";
}

}  // namespace tinylm
