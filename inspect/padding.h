// Text fitted into columns of a terminal; wide and combining characters count as what they take there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tinylm {

/// `text`, valid UTF-8, which takes a column at least: one of no width (a combining mark alone) stands on a dotted
/// circle.
std::string with_width(std::string_view text);

/// with_width(text) at the left of exactly `width` columns: filled with spaces, or cut and ended with "…" when wider.
std::string fit_left(std::string_view text, std::size_t width);

/// `text` at the right of at least `width` columns.
std::string fit_right(std::string_view text, std::size_t width);

}  // namespace tinylm
