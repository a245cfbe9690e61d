// A weight from 0 to 1 as a shade: a colour behind spaces or text, or a character.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "inspect/terminal.h"

namespace tinylm {

struct Color {
  int red = 0, green = 0, blue = 0;  // 0 to 255
  bool operator==(const Color&) const = default;
};
/// The colour of a weight; black for one that is no number.
Color color_of_weight(double weight);

/// Cells `width` columns wide. Shades follow the square root of the weight, because most weights of a long text are
/// small; a weight that is no number is shown as '?'.
class Shader {
 public:
  Shader(ColorDepth depth, std::size_t width) : depth_(depth), width_(width) {}
  std::string cell(double weight) const;
  /// Two weights one above the other, as half blocks; nothing: that half stays blank. For terminals with colours.
  std::string halves(std::optional<double> upper, double lower) const;
  /// `text` on the colour of a shade from 0 to 1, in black or white; as it is with characters only.
  std::string marked(const std::string& text, double shade) const;
  /// Ends the colours; after the last cell of a line.
  std::string end_of_cells() const;
  /// Which shade means which weight, at most 42 columns.
  std::string scale() const;

 private:
  ColorDepth depth_;
  std::size_t width_;
};

}  // namespace tinylm
