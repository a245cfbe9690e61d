// The table of tokenizers: making one from a text, and loading the one of a folder. A new kind is one line in
// registry.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tokenizer/options.h"
#include "tokenizer/tokenizer.h"

namespace tinylm {

/// The names that TokenizerOptions::tokenizer takes.
std::vector<std::string> tokenizer_kinds();

/// Makes a tokenizer from the whole text (char: its code points; sentencepiece: trained on a counted, seeded sample;
/// byte: fixed). Says through the log what was taken. Throws BadInput when the text supports none: empty, or
/// (sentencepiece) a vocabulary smaller than the required characters, naming the smallest size that works.
std::unique_ptr<Tokenizer> make_tokenizer(const TokenizerOptions& options, std::uint64_t seed, TextReader& text);

/// Loads the tokenizer saved in `folder`. Throws FileError when there is none, more than one, or it is damaged.
std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& folder);

}  // namespace tinylm
