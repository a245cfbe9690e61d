// How far a long pass over the text is, said to people; and the place where Ctrl-C ends such a pass.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "core/logging.h"
#include "data/text_files.h"

namespace tinylm {

/// Shows bytes read and time left once a pass has taken a few seconds.
class ReadingProgress {
 public:
  /// `what`: what the pass does, e.g. "encoding". `text` must outlive this.
  ReadingProgress(std::string what, const TextFiles& text);
  /// Called at every piece or few; cheap. Throws Error with the signal's exit code when a signal asked to stop.
  void update();

 private:
  using Clock = std::chrono::steady_clock;

  std::string what_;
  const TextFiles& text_;
  Clock::time_point begin_ = Clock::now(), next_ = begin_ + std::chrono::seconds(2);
  std::optional<LiveLine> line_;
};

/// `text` for a reader that knows nothing of progress.
class ReaderWithProgress : public TextReader {
 public:
  ReaderWithProgress(std::string what, TextFiles& text) : text_(text), progress_(std::move(what), text) {}
  bool next(std::string& piece) override {
    progress_.update();
    return text_.next(piece);
  }
  bool ends_document() const override { return text_.ends_document(); }
  void rewind() override { text_.rewind(); }

 private:
  TextFiles& text_;
  ReadingProgress progress_;
};

}  // namespace tinylm
