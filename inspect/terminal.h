// What the terminal that text goes to can show.
#pragma once

#include <cstddef>

namespace tinylm {

enum class ColorDepth { kAscii, k256Colors, k24Bit };

/// What to draw with on file descriptor `fd`: kAscii unless it is a terminal, where NO_COLOR is set (no-color.org), or
/// where TERM names no colours; 24 bits where COLORTERM says so.
ColorDepth color_depth_of_terminal(int fd);

/// Columns of the terminal behind `fd`; `otherwise` where there is none.
std::size_t columns_of_terminal(int fd, std::size_t otherwise = 100);

}  // namespace tinylm
