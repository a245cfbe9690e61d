// Lines that somebody types, or that come from a file or a pipe.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace tinylm {

class LineReader {
 public:
  virtual ~LineReader() = default;
  /// The next line without its end; nothing when there are no more (Ctrl-D).
  virtual std::optional<std::string> next() = 0;
  /// Whether a person types them, on a terminal.
  virtual bool typed() const = 0;
};

/// Reads standard input. From a terminal, where standard error is one too: after a prompt on standard error, with
/// editing and a history of this session's lines (libedit: arrow keys, Ctrl-R, ~/.editrc), and Ctrl-C gives up the
/// line. Otherwise plainly. Takes the environment's locale for characters, or C.UTF-8 where that is not UTF-8.
std::unique_ptr<LineReader> make_line_reader();

}  // namespace tinylm
