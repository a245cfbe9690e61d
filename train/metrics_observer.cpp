#include "train/metrics_observer.h"

#include <cerrno>
#include <cstring>

#include "core/errors.h"
#include "train/metrics_file.h"

namespace tinylm {

MetricsObserver::MetricsObserver(const std::filesystem::path& file, std::int64_t step) : path_(file) {
  truncate_metrics(file, step);
  file_.open(file, std::ios::app);
  if (!file_) throw FileError("cannot open " + file.string() + " for writing: " + std::strerror(errno));
}

void MetricsObserver::on_step(const StepReport& report) {
  file_ << metrics_line(report) + "\n" << std::flush;
  if (!file_) throw FileError("cannot write " + path_.string() + ": " + std::strerror(errno));
}

}  // namespace tinylm
