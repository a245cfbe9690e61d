// Learned pieces of words (unigram or bpe), through sentencepiece, set up so that every text comes back as it was: what
// has no piece is given as bytes. Sources: Kudo, "Subword regularization" (ACL 2018), for unigram; Sennrich, Haddow &
// Birch, "Neural machine translation of rare words with subword units" (ACL 2016), for bpe.
//
// The pieces of a text are those of its lines, each newline a piece of its own, so that a text may be encoded a few
// lines at a time. A line of more than kLongestLineBytes is cut into parts, so that the time grows with the length
// alone.
#pragma once

#include <memory>

#include "tokenizer/options.h"
#include "tokenizer/sentencepiece_plugin.h"
#include "tokenizer/tokenizer.h"

namespace tinylm {

class SentencePieceTokenizer : public Tokenizer {
 public:
  static constexpr const char* kKind = "sentencepiece";
  static constexpr const char* kFileName = "tokenizer.model";  // sentencepiece's own format; other programs read it
  static constexpr std::int64_t kFixedPieces = 260;            // 256 bytes, newline, START, END, unknown
  static constexpr std::int64_t kSmallestVocabulary = kFixedPieces + 1;
  static constexpr std::int64_t kLargestVocabulary = 1'000'000;
  static constexpr std::int64_t kLargestSampleMb = 1000;

  /// Trains on the drawn lines of `text`. Throws BadInput when the text has nothing to learn pieces from, or when
  /// vocab_size cannot hold its characters, naming the smallest size that works.
  static std::unique_ptr<Tokenizer> make(const TokenizerOptions& options, std::uint64_t seed, TextReader& text);
  /// Throws FileError when `bytes`, the content of `file`, is not as it was written.
  static std::unique_ptr<Tokenizer> load(const std::string& bytes, const std::string& file);

  using Tokenizer::encode;
  std::string kind() const override { return kKind; }
  std::int64_t vocabulary_size() const override { return ids_.count; }
  TokenId start_id() const override { return ids_.start; }
  TokenId end_id() const override { return ids_.end; }
  void encode(std::string_view text, std::vector<TokenId>& ids) const override;
  std::string bytes_of(TokenId id) const override;
  /// The model followed by its checksum, as a protobuf field that other readers pass over.
  std::string serialize() const override;
  std::string file_name() const override { return kFileName; }

 private:
  using Model = std::unique_ptr<SentencePieceModel, void (*)(SentencePieceModel*)>;
  SentencePieceTokenizer(const SentencePiecePlugin& plugin, SentencePieceModel* model);

  const SentencePiecePlugin& plugin_;
  Model model_;
  SentencePieceIds ids_;
};

}  // namespace tinylm
