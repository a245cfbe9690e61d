// The map of one head as a picture: a row a query, a column a key, from above and from the left, on the terminal's
// scale of colours (shade.h). Keys that causality hides are left out.
#pragma once

#include <string>

#include "inspect/head_selection.h"
#include "inspect/inspection.h"

namespace tinylm {

/// A PNG file, some 768 pixels wide: each cell as many pixels as fit; hidden cells are transparent.
std::string head_png(const Inspection& text, const HeadPlace& head);

/// An SVG file with the tokens on both sides and each weight as the tip of its cell.
std::string head_svg(const Inspection& text, const HeadPlace& head);

}  // namespace tinylm
