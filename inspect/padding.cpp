#include "inspect/padding.h"

#include "core/utf8.h"

namespace tinylm {

namespace {

/// The longest beginning of whole code points that takes at most `width` columns.
std::string_view beginning(std::string_view text, std::size_t width) {
  std::size_t end = 0;
  std::size_t next = 0;
  while (next < text.size()) {
    utf8::next(text, next);
    if (utf8::display_width(text.substr(0, next)) > width) break;
    end = next;
  }
  return text.substr(0, end);
}

}  // namespace

std::string with_width(std::string_view text) {
  return (utf8::display_width(text) == 0 ? "\u25CC" : "") + std::string(text);
}

std::string fit_left(std::string_view text, std::size_t width) {
  std::string fitted = with_width(text);
  if (utf8::display_width(text) > width) fitted = std::string(beginning(text, width - 1)) + "…";
  const std::size_t taken = utf8::display_width(fitted);
  return fitted + std::string(taken < width ? width - taken : 0, ' ');
}

std::string fit_right(std::string_view text, std::size_t width) {
  const std::size_t taken = utf8::display_width(text);
  return std::string(taken < width ? width - taken : 0, ' ') + std::string(text);
}

}  // namespace tinylm
