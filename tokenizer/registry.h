// The table of tokenizers: making one from a text, and loading the one of a folder. A new kind is one line in registry.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace tinylm {

class OptionTable;

/// How text becomes ids.
struct TokenizerOptions {
  std::string tokenizer = "char";               // a kind of tokenizer_kinds()
  std::int64_t vocab_size = 2000;               // sentencepiece only: largest vocabulary; less is taken when the text supports less
  std::string sentencepiece_model = "unigram";  // sentencepiece only: "unigram" or "bpe"
  std::int64_t tokenizer_sample_mb = 50;        // sentencepiece only: the trainer sees at most so many MB of lines, drawn by seed

  /// Adds its options to section [text].
  void describe(OptionTable& table);
  /// Notes what cannot be meant.
  void validate(class Problems& problems) const;
};

std::vector<std::string> tokenizer_kinds();

/// Makes a tokenizer from the whole text (char: its code points; sentencepiece: trained on a counted, seeded sample; byte: fixed).
/// Says through the log what was taken. Throws BadInput when the text supports none: empty, or (sentencepiece) a vocabulary
/// smaller than the required characters, naming the smallest size that works.
std::unique_ptr<Tokenizer> make_tokenizer(const TokenizerOptions& options, std::uint64_t seed, TextReader& text);

/// Loads the tokenizer saved in `folder`. Throws FileError when there is none or it is damaged.
std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& folder);

}  // namespace tinylm
