#include "inspect/report/report_observer.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "core/errors.h"
#include "core/files.h"

namespace tinylm {
namespace {

constexpr std::chrono::seconds kBetweenPages{5};  // at least
constexpr std::chrono::seconds kWithoutEvaluation{60};
constexpr int kMostShare = 50;  // a page takes at most this part of the time, where it takes long (a slow disk)

}  // namespace

ReportObserver::ReportObserver(ReportFiles files, RunReport report)
    : files_(std::move(files)), report_(std::move(report)) {
  for_each_metrics(files_.metrics, [&](const Metrics& metrics) { report_.course.add(metrics); });
}

void ReportObserver::on_step(const StepReport& report) {
  report_.course.add(metrics_of(report));
  if (report.total_steps > 0) report_.total_steps = report.total_steps;  // with minutes it may change
  const auto due = report.evaluated ? next_page_ : next_page_ + kWithoutEvaluation;
  if (!report.ends && Clock::now() >= due) write("training", /*live=*/true);
}

void ReportObserver::conclude(const std::string& status) {
  write(status, /*live=*/false);
}

void ReportObserver::write(const std::string& status, bool live) {
  const auto begin = Clock::now();
  try {
    report_.status = status;
    report_.samples = read_samples(files_.samples);
    report_.sessions = read_sessions(files_.sessions);
    write_atomically(files_.page, report_page({report_}, live));
    if (!told_) spdlog::info("report {}{}", files_.page.string(), live ? " (open in a browser, it renews itself)" : "");
    told_ = true;
  } catch (const FileError& error) {
    if (!warned_) spdlog::warn("no report: {}", error.what());
    warned_ = true;
  }
  next_page_ = Clock::now() + std::max<Clock::duration>(kBetweenPages, kMostShare * (Clock::now() - begin));
}

}  // namespace tinylm
