// A text on a terminal, each token on a colour that says how much it surprised the model.
#pragma once

#include <ostream>
#include <vector>

#include "inspect/terminal.h"
#include "sample/generator.h"
#include "sample/text_report.h"

namespace tinylm {

/// A token and its loss; NaN where it was not predicted.
struct ColouredToken {
  TokenId id = 0;
  double loss_nats = 0.0;
};

/// A line that says which colour is which loss, then the text. Dark is a loss of 0, the brightest ln V or more: no
/// better than an even guess among the V tokens. What was not predicted has no colour. Needs a `depth` with colours.
void write_coloured_text(std::ostream& out, const std::vector<ColouredToken>& text, const Tokenizer& tokenizer,
                         ColorDepth depth);

/// A scored text, of which the first token is not predicted; needs its losses.
std::vector<ColouredToken> coloured_tokens(const ScoredText& text);

/// What followed a prompt, which is not predicted.
std::vector<ColouredToken> coloured_tokens(const std::vector<TokenId>& prompt, const Generated& text);

}  // namespace tinylm
