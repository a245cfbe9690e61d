// A scored text on a terminal, each token on a colour that says how much it surprised the model.
#pragma once

#include <ostream>

#include "inspect/terminal.h"
#include "sample/text_report.h"

namespace tinylm {

/// A line that says which colour is which loss, then the text. Dark is a loss of 0, the brightest ln V or more: no
/// better than an even guess among the V tokens. The first token, which is not predicted, has no colour. Needs the
/// losses, and a `depth` with colours.
void write_coloured_text(std::ostream& out, const ScoredText& text, ColorDepth depth);

}  // namespace tinylm
