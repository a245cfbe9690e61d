// What a user can say about the tokenizer.
#pragma once

#include <cstdint>
#include <string>

namespace tinylm {

class OptionTable;
class Problems;

/// How text becomes ids.
struct TokenizerOptions {
  std::string tokenizer = "char";  // a kind of tokenizer_kinds()
  std::int64_t vocab_size = 2000;  // sentencepiece only: largest vocabulary; less when the text supports less
  std::string sentencepiece_model = "unigram";  // sentencepiece only: "unigram" or "bpe"
  std::int64_t tokenizer_sample_mb = 50;        // sentencepiece only: the trainer sees at most so many MB of lines

  /// Adds its options to section [text].
  void describe(OptionTable& table);
  /// Notes what cannot be meant.
  void validate(Problems& problems) const;
};

}  // namespace tinylm
