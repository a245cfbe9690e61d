#include "inspect/head_tracker.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "core/errors.h"
#include "inspect/tracked_heads.h"
#include "train/metrics_file.h"

namespace tinylm {
namespace {

constexpr RepeatOptions kTrackedRepeats{.texts =
                                            4};  // a hundredth of an evaluation's time; the page's own scores take more

}  // namespace

HeadTracker::HeadTracker(std::filesystem::path file, std::int64_t step, LanguageModel model, const Tokenizer& tokenizer)
    : file_(std::move(file)), model_(std::move(model)), tokenizer_(tokenizer) {
  truncate_metrics(file_, step);
}

void HeadTracker::on_step(const StepReport& report) {
  if (!report.evaluated) return;
  std::ofstream file(file_, std::ios::app);
  file << tracked_line(report.state.step, random_repeats(model_, tokenizer_, kTrackedRepeats)) + "\n" << std::flush;
  if (!file) throw FileError("cannot write " + file_.string() + ": " + std::strerror(errno));
}

}  // namespace tinylm
