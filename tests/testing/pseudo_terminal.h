// A terminal for tests of what is shown on one.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
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

  /// Types these keys, as a person would.
  void type(const std::string& keys) {
    if (::write(controller_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size()))
      throw std::runtime_error("the pseudo-terminal does not take keys");
  }
  /// Waits until a program reads key by key, as an editor of lines does; for a minute at most.
  void wait_for_editor() const {
    termios settings{};
    for (int tries = 0; tries < 6000; ++tries) {
      if (::tcgetattr(controller_, &settings) == 0 && (settings.c_lflag & ICANON) == 0) return;
      ::usleep(10'000);
    }
    throw std::runtime_error("no program reads the pseudo-terminal key by key");
  }
  /// What is written to it until `text` appears; what came by then where it does not within `most_s` seconds.
  std::string seen_until(const std::string& text, int most_s = 60) {
    std::string seen;
    char buffer[4096];
    pollfd ready{controller_, POLLIN, 0};
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(most_s);
    while (seen.find(text) == std::string::npos && std::chrono::steady_clock::now() < end) {
      if (::poll(&ready, 1, 100) <= 0) continue;
      const ssize_t got = ::read(controller_, buffer, sizeof buffer);
      if (got <= 0) break;
      seen.append(buffer, static_cast<std::size_t>(got));
    }
    return seen;
  }

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

  /// Closes the programs' end here, where it stays open for those that have it.
  void close_terminal() {
    if (terminal_ >= 0) ::close(terminal_);
    terminal_ = -1;
  }

 private:
  int controller_ = -1, terminal_ = -1;
};

}  // namespace tinylm::testing
