#include "data/reading_progress.h"

#include <algorithm>

#include "core/errors.h"
#include "core/numbers.h"
#include "core/signals.h"

namespace tinylm {

ReadingProgress::ReadingProgress(std::string what, const TextFiles& text) : what_(std::move(what)), text_(text) {}

void ReadingProgress::update() {
  if (const int signal = stop_signal(); signal != 0) {
    throw Error(static_cast<ExitCode>(128 + signal),
                "stopped by a signal while " + what_ + " the text; nothing was kept");
  }
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(250);
  const double elapsed_s = std::chrono::duration<double>(now - begin_).count();
  const auto read = static_cast<double>(text_.bytes_read());
  const auto total = static_cast<double>(std::max<std::uint64_t>(text_.total_bytes(), 1));
  if (!line_) line_.emplace();
  line_->show(what_ + " the text: " + human_bytes(text_.bytes_read()) + " of " + human_bytes(text_.total_bytes()) +
              " (" + fixed(100 * read / total, 0) + " %), " +
              human_seconds(read > 0 ? elapsed_s * (total - read) / read : 0) + " left");
}

}  // namespace tinylm
