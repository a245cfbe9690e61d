// Text through a tokenizer into a token file.
#pragma once

#include "data/text_files.h"
#include "data/token_file.h"
#include "tokenizer/tokenizer.h"

namespace tinylm {

/// Appends START, tokens, END of every document of `text` to `writer`, one after another; text without documents
/// (Documents::kNone) gives its tokens alone. Reads from the beginning, some megabytes at a time, which all threads
/// encode. Throws BadInput naming file, line and column of a character that the tokenizer cannot encode.
void encode_text(TextFiles& text, const Tokenizer& tokenizer, TokenFileWriter& writer);

}  // namespace tinylm
