// A terminal for tests of what is shown on one.
#pragma once

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <regex>
#include <stdexcept>
#include <string>

namespace tinylm::testing {

/// Both ends of a pseudo-terminal of `columns` columns. Throws std::runtime_error where the system gives none (a
/// container without /dev/pts): then its tests fail, and are not passed over.
class PseudoTerminal {
 public:
  explicit PseudoTerminal(unsigned short columns) {
    controller_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (controller_ >= 0 && ::grantpt(controller_) == 0 && ::unlockpt(controller_) == 0)
      terminal_ = ::open(::ptsname(controller_), O_RDWR | O_NOCTTY | O_CLOEXEC);
    const struct winsize size { 25, columns, 0, 0 };
    if (terminal_ < 0 || ::ioctl(terminal_, TIOCSWINSZ, &size) != 0)
      throw std::runtime_error("the system gives no pseudo-terminal: is /dev/pts mounted?");
  }
  ~PseudoTerminal() {
    close_terminal();
    ::close(controller_);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  /// The end that programs write to.
  int terminal() const { return terminal_; }

  /// Closes that end here, and gives all that is written to it until nobody else holds it either, its line ends as they
  /// were written.
  std::string seen() {
    close_terminal();
    std::string text;
    char buffer[4096];
    for (ssize_t got = 0; (got = ::read(controller_, buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(got));
    return std::regex_replace(text, std::regex("\r\n"), "\n");
  }

 private:
  void close_terminal() {
    if (terminal_ >= 0) ::close(terminal_);
    terminal_ = -1;
  }
  int controller_ = -1, terminal_ = -1;
};

}  // namespace tinylm::testing
