#include "cli/sample_printer.h"

#include <spdlog/spdlog.h>

namespace tinylm {

SamplePrinter::SamplePrinter(std::ostream& out, std::string prompt, std::uint64_t samples, bool headings)
    : out_(out), prompt_(std::move(prompt)), samples_(samples), headings_(headings) {
  open();
}

void SamplePrinter::open() {
  if (open_) return;
  open_ = true;
  if (headings_) spdlog::info("--- sample {} of {}", turn_ + 1, samples_);
  out_ << prompt_ << waiting_[turn_] << std::flush;
  waiting_.erase(turn_);
}

void SamplePrinter::add(std::uint64_t sample, std::string_view piece) {
  if (sample != turn_) {
    waiting_[sample] += piece;
    return;
  }
  open();
  out_ << piece << std::flush;
}

void SamplePrinter::end(std::uint64_t sample) {
  ended_.insert(sample);
  while (ended_.erase(turn_) > 0) {
    open();
    out_ << std::endl;
    ++turn_;
    open_ = false;
    if (waiting_.contains(turn_)) open();
  }
}

}  // namespace tinylm
