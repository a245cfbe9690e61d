// One token a byte: 256 ids for the bytes, then START and END. Any byte string comes back as it was.
#pragma once

#include "tokenizer/options.h"
#include "tokenizer/tokenizer.h"

namespace tinylm {

class ByteTokenizer : public Tokenizer {
 public:
  static constexpr const char* kKind = "byte";
  static constexpr const char* kFileName = "tokenizer-byte.json";

  /// Needs nothing of the text, which is not read.
  static std::unique_ptr<Tokenizer> make(const TokenizerOptions& options, std::uint64_t seed, TextReader& text);
  /// Throws FileError when `bytes`, the content of `file`, is no byte tokenizer.
  static std::unique_ptr<Tokenizer> load(const std::string& bytes, const std::string& file);

  using Tokenizer::encode;
  std::string kind() const override { return kKind; }
  std::int64_t vocabulary_size() const override { return 258; }
  TokenId start_id() const override { return 256; }
  TokenId end_id() const override { return 257; }
  void encode(std::string_view text, std::vector<TokenId>& ids) const override;
  std::string bytes_of(TokenId id) const override;
  std::string serialize() const override;
  std::string file_name() const override { return kFileName; }
};

}  // namespace tinylm
