// One token a Unicode code point of the training text, in ascending order, then START and END.
#pragma once

#include "tokenizer/options.h"
#include "tokenizer/tokenizer.h"

namespace tinylm {

class CharTokenizer : public Tokenizer {
 public:
  static constexpr const char* kKind = "char";
  static constexpr const char* kFileName = "tokenizer-char.json";

  /// Takes every code point of the text. Throws BadInput when there is none.
  static std::unique_ptr<Tokenizer> make(const TokenizerOptions& options, std::uint64_t seed, TextReader& text);
  /// Throws FileError when `bytes`, the content of `file`, is no char tokenizer or not as it was written.
  static std::unique_ptr<Tokenizer> load(const std::string& bytes, const std::string& file);

  /// `characters`: distinct, ascending; the id of a character is its place.
  explicit CharTokenizer(std::u32string characters);

  using Tokenizer::encode;
  std::string kind() const override { return kKind; }
  std::int64_t vocabulary_size() const override { return end_id() + 1; }
  TokenId start_id() const override { return static_cast<TokenId>(characters_.size()); }
  TokenId end_id() const override { return start_id() + 1; }
  void encode(std::string_view text, std::vector<TokenId>& ids) const override;
  std::string bytes_of(TokenId id) const override;
  std::string serialize() const override;
  std::string file_name() const override { return kFileName; }

 private:
  TokenId id_of(char32_t character) const;  // -1: not in the vocabulary

  std::u32string characters_;
  std::vector<TokenId> ids_of_bmp_;  // [0x10000], by code point, so that the usual lookup is one read; -1: none
};

}  // namespace tinylm
