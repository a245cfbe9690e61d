// One token as its reader sees it.
#pragma once

#include <string>

#include "tokenizer/tokenizer.h"

namespace tinylm {

/// The token's own text; bytes that are no characters by themselves as <C3>. Empty for START and END.
std::string token_text(const Tokenizer& tokenizer, TokenId id);

/// The tokenizer's label, with a mark for every space, which would be lost at the edge of a cell.
std::string token_label(const Tokenizer& tokenizer, TokenId id);

}  // namespace tinylm
