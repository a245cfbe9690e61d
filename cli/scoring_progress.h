// How far the scoring of a text is.
#pragma once

#include <cstdint>
#include <optional>

#include "core/errors.h"
#include "core/logging.h"
#include "core/numbers.h"
#include "core/signals.h"
#include "core/stop_watch.h"

namespace tinylm {

/// Says how far it is once that has taken a few seconds; the place where Ctrl-C ends it. Asked at every token: with a
/// small stride few come from much computing.
class ScoringProgress {
 public:
  explicit ScoringProgress(std::int64_t tokens) : tokens_(tokens) {}
  void update(std::int64_t position) {
    if (const int signal = stop_signal(); signal != 0)
      throw Error(static_cast<ExitCode>(128 + signal), "stopped by a signal while scoring the text");
    if (watch_.seconds() < next_s_) return;
    next_s_ = watch_.seconds() + 0.25;
    if (!line_) line_.emplace();
    line_->show("scored " + grouped(position) + " of " + grouped(tokens_) + " tokens");
  }
  /// Takes the line away, whose last text is of some tokens before the end.
  void finish() {
    if (line_) line_->drop();
  }

 private:
  std::int64_t tokens_;
  StopWatch watch_;
  double next_s_ = 2.0;
  std::optional<LiveLine> line_;
};

}  // namespace tinylm
