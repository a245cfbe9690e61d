// Keeps report.html up to date while a run is trained.
#pragma once

#include <chrono>
#include <filesystem>

#include "inspect/report/report_page.h"
#include "train/observer.h"

namespace tinylm {

/// Where the parts of a run's report stand.
struct ReportFiles {
  std::filesystem::path page, metrics, samples, sessions;
};

/// Writes the page at evaluations, at least some seconds apart, after a minute without any, and once more when told how
/// the training ended. It
/// holds a thinned course, so that a page costs the same in the first hour as in the last. A page that cannot be
/// written is no reason to end a training: it is warned of, once.
class ReportObserver : public Observer {
 public:
  /// `report`: all but course, samples, sessions and status; its total_steps hold until a step tells others. Reads the
  /// course of a resumed run from its metrics, which have been truncated to where it goes on. Throws FileError when
  /// they cannot be read.
  ReportObserver(ReportFiles files, RunReport report);
  void on_step(const StepReport& report) override;
  /// The last page: `status` says how it ended.
  void conclude(const std::string& status);

 private:
  using Clock = std::chrono::steady_clock;
  void write(const std::string& status, bool live);

  ReportFiles files_;
  RunReport report_;
  Clock::time_point next_page_ = Clock::now();  // not before
  bool told_ = false;                           // where the page is
  bool warned_ = false;
};

}  // namespace tinylm
