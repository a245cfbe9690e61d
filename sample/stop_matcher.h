// Stop texts, found in text that arrives in pieces of any length.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tinylm {

/// Passes text on until one of the stop texts appears in it. What might be the beginning of a stop text is held back
/// until it is known not to be. The result does not depend on where the pieces are cut: the stop text that is complete
/// first counts, among those that end together the longest.
class StopMatcher {
 public:
  /// `stops`: not empty texts; none: everything passes at once.
  explicit StopMatcher(std::vector<std::string> stops) : stops_(std::move(stops)) {}

  /// Takes the next piece and gives back the text that is certain to stand before any stop text. Valid UTF-8 in and
  /// valid stop texts give valid UTF-8 out.
  std::string push(std::string_view piece);
  /// Whether a stop text was found; nothing is passed on after it.
  bool stopped() const { return stopped_; }
  /// What is still held back when no more text will come.
  std::string finish();

 private:
  std::vector<std::string> stops_;
  std::string held_;
  bool stopped_ = false;
};

}  // namespace tinylm
