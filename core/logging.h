// Where the program talks to people: spdlog to stderr (and to a run's train.log), never stdout, which is for results.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace tinylm {

enum class Verbosity { kQuiet, kNormal, kVerbose };

/// Makes the default spdlog logger write to stderr: warnings and errors only, normal, or debug too.
/// Call spdlog::info() and friends anywhere afterwards.
void start_logging(Verbosity verbosity);

/// Also appends every message, debug ones too, with time and level to `file`, instead of an earlier file; at first
/// those that were said before there was one. Throws FileError when it cannot be opened.
void add_log_file(const std::filesystem::path& file);

/// A line, or several, at the bottom of the terminal that are rewritten in place; log messages appear above them.
/// Where stderr is no terminal, `show` prints a plain line instead, at most one every `plain_interval_s` seconds, and
/// `finish` the last one if it was held back. Silent before start_logging() and with Verbosity::kQuiet.
class LiveLine {
 public:
  explicit LiveLine(double plain_interval_s = 10.0);
  ~LiveLine();  // finishes the line
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  /// Replaces the lines (what '\n' parts); each is cut to the terminal's width. `important` lines are always printed
  /// when not on a terminal.
  void show(const std::string& text, bool important = false);
  /// Columns that a line may take: what show() does not cut; 0 where stderr is no terminal and lines have no limit.
  std::size_t columns() const;
  /// Leaves the last text standing and starts a new line.
  void finish();
  /// Takes the last text away: what was said since stands in its place.
  void drop();

 private:
  double plain_interval_s_;
  double last_plain_s_ = -1e9;
  std::string held_back_;  // the last text not printed for want of a terminal and time
};

}  // namespace tinylm
