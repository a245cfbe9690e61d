#include "inspect/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace tinylm {

namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

ColorDepth color_depth_of_terminal(int fd) {
  if (isatty(fd) == 0 || !environment("NO_COLOR").empty() || environment("TERM") == "dumb") return ColorDepth::kAscii;
  const std::string_view depth = environment("COLORTERM");
  if (depth == "truecolor" || depth == "24bit") return ColorDepth::k24Bit;
  const bool has_256 = environment("TERM").find("256color") != std::string_view::npos;
  return has_256 ? ColorDepth::k256Colors : ColorDepth::kAscii;
}

std::size_t columns_of_terminal(int fd, std::size_t otherwise) {
  winsize size{};
  if (isatty(fd) == 0 || ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return otherwise;
  return size.ws_col;
}

}  // namespace tinylm
