// Pieces on several threads against one call of Tokenizer::encode() for each.
#include "data/piece_encoder.h"

#include <gtest/gtest.h>

#include "core/errors.h"
#include "core/torch_compat.h"
#include "data_test_support.h"
#include "tokenizer/options.h"

namespace tinylm {
namespace {

std::vector<TokenId> joined(const EncodedPieces& encoded) {
  std::vector<TokenId> all;
  for (const auto& part : encoded.parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::vector<TokenId> one_by_one(const std::vector<DocumentPiece>& pieces, const Tokenizer& tokenizer) {
  std::vector<TokenId> all;
  for (const DocumentPiece& piece : pieces) {
    if (piece.begins_document) all.push_back(tokenizer.start_id());
    tokenizer.encode(piece.text, all);
    if (piece.ends_document) all.push_back(tokenizer.end_id());
  }
  return all;
}

/// `bytes` bytes of words and lines, the last one without a line end.
std::string words(std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; text.size() < bytes; ++i) text += i % 9 == 8 ? "\n" : i % 2 == 0 ? "abc d" : "ead  ";
  return text.substr(0, bytes - 1) + "a";
}

std::vector<DocumentPiece> pieces_of_many_lengths() {
  return {{words(1), true, true},
          {words(40), true, false},
          {words(300'000), false, false},
          {"", false, true},
          {"\n", true, true},
          {std::string(100'000, 'a'), false, false},
          {words(32'768), true, true},
          {words(32'769) + "\n", true, true},
          {"\n\n\n", false, false}};
}

class PieceEncoder : public LettersTest {
 protected:
  void expect_same(const Tokenizer& tokenizer) const {
    const std::vector<DocumentPiece> pieces = pieces_of_many_lengths();
    const std::vector<TokenId> expected = one_by_one(pieces, tokenizer);
    const int before = at::get_num_threads();
    for (const int threads : {1, 2, 3}) {
      use_threads(threads);
      const EncodedPieces encoded = encode_pieces(pieces, tokenizer);
      EXPECT_EQ(encoded.error, nullptr);
      EXPECT_GT(encoded.parts.size(), 8U) << "nothing to share";
      EXPECT_EQ(joined(encoded), expected) << threads << " threads";
    }
    use_threads(before);
  }
};

TEST_F(PieceEncoder, GivesWhatOneCallForEachPieceGives) {
  expect_same(*tokenizer_);
}

TEST_F(PieceEncoder, GivesThePiecesOfSentencepieceTheSame) {
  TokenizerOptions options;
  options.tokenizer = "sentencepiece";
  options.vocab_size = 280;
  TextFiles text({write("words", words(20'000))}, {}, false);
  expect_same(*make_tokenizer(options, 1, text));
}

TEST_F(PieceEncoder, NamesTheFirstPieceThatItCannotEncode) {
  std::vector<DocumentPiece> pieces = pieces_of_many_lengths();
  pieces[2].text.back() = 'x';
  pieces[7].text[3] = 'y';
  const EncodedPieces encoded = encode_pieces(pieces, *tokenizer_);
  ASSERT_NE(encoded.error, nullptr);
  EXPECT_EQ(encoded.failed_piece, 2U);
  EXPECT_THROW(std::rethrow_exception(encoded.error), BadInput);
}

TEST_F(PieceEncoder, OfNothingGivesNothing) {
  EXPECT_TRUE(encode_pieces({}, *tokenizer_).parts.empty());
}

}  // namespace
}  // namespace tinylm
