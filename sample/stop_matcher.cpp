#include "sample/stop_matcher.h"

#include <algorithm>
#include <utility>

namespace tinylm {

namespace {

/// Length of the longest stop text that `text` ends with; 0: none.
std::size_t stop_at_end(std::string_view text, const std::vector<std::string>& stops) {
  std::size_t longest = 0;
  for (const std::string& stop : stops) {
    if (text.ends_with(stop)) longest = std::max(longest, stop.size());
  }
  return longest;
}

/// Length of the longest end of `text` that begins one of the stop texts.
std::size_t beginning_at_end(std::string_view text, const std::vector<std::string>& stops) {
  std::size_t longest = 0;
  for (const std::string_view stop : stops) {
    for (std::size_t length = std::min(text.size(), stop.size()); length > longest; --length) {
      if (text.ends_with(stop.substr(0, length))) longest = length;
    }
  }
  return longest;
}

}  // namespace

std::string StopMatcher::push(std::string_view piece) {
  if (stopped_) return "";
  const std::size_t known = held_.size();  // no stop text ends within what was held
  std::string text = std::exchange(held_, "") + std::string(piece);
  for (std::size_t end = known + 1; end <= text.size(); ++end) {
    const std::size_t length = stop_at_end(std::string_view(text).substr(0, end), stops_);
    if (length == 0) continue;
    stopped_ = true;
    return text.substr(0, end - length);
  }
  const std::size_t held = beginning_at_end(text, stops_);
  held_ = text.substr(text.size() - held);
  text.resize(text.size() - held);
  return text;
}

std::string StopMatcher::finish() {
  return std::exchange(held_, "");
}

}  // namespace tinylm
