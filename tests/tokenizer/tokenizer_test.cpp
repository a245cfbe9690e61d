#include "tokenizer/tokenizer.h"

#include <gtest/gtest.h>

#include "core/errors.h"
#include "core/files.h"
#include "tests/tokenizer/test_text.h"
#include "tokenizer/byte_tokenizer.h"
#include "tokenizer/char_tokenizer.h"

namespace tinylm {
namespace {

std::vector<std::string> pushed(const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
  StreamDecoder decoder(tokenizer);
  std::vector<std::string> texts;
  for (const TokenId id : ids) texts.push_back(decoder.push(id));
  texts.push_back(decoder.finish());
  return texts;
}

using Texts = std::vector<std::string>;

TEST(StreamDecoder, HoldsBytesUntilTheCharacterIsWhole) {
  EXPECT_EQ(pushed(ByteTokenizer(), {'a', 0xC3, 0xA9, 0xF0, 0x9F, 0x98, 0x80, 'b'}),
            (Texts{"a", "", "\u00E9", "", "", "", "\U0001F600", "b", ""}));
}

TEST(StreamDecoder, ReplacesBytesThatNeverBecomeACharacter) {
  EXPECT_EQ(pushed(ByteTokenizer(), {0xFF, 0xE2, 'A', 0x80}), (Texts{"\uFFFD", "", "\uFFFDA", "\uFFFD", ""}));
}

TEST(StreamDecoder, EndsAnIncompleteCharacterWithOneReplacement) {
  EXPECT_EQ(pushed(ByteTokenizer(), {'a', 0xF0, 0x9F, 0x98}), (Texts{"a", "", "", "", "\uFFFD"}));
}

TEST(StreamDecoder, BeginsAnewAfterTheEnd) {
  const ByteTokenizer tokenizer;
  StreamDecoder decoder(tokenizer);
  decoder.push(0xE2);
  EXPECT_EQ(decoder.finish(), "\uFFFD");
  EXPECT_EQ(decoder.finish(), "");
  EXPECT_EQ(decoder.push('x'), "x");
}

TEST(StreamDecoder, GivesNothingForSpecialIds) {
  const ByteTokenizer tokenizer;
  EXPECT_EQ(pushed(tokenizer, {tokenizer.start_id(), 'a', tokenizer.end_id()}), (Texts{"", "a", "", ""}));
}

TEST(Tokenizer, LabelsShowWhatCannotBeSeen) {
  const ByteTokenizer tokenizer;
  EXPECT_EQ(tokenizer.label(tokenizer.start_id()), "START");
  EXPECT_EQ(tokenizer.label(tokenizer.end_id()), "END");
  EXPECT_EQ(tokenizer.label('a'), "a");
  EXPECT_EQ(tokenizer.label(0xE2), "<E2>");
  EXPECT_NE(tokenizer.label('\n'), "\n");
}

TEST(Tokenizer, FingerprintsDifferWithTheContentAndTheKind) {
  const CharTokenizer one(U"ab"), same(U"ab"), other(U"ac");
  EXPECT_EQ(one.fingerprint(), same.fingerprint());
  EXPECT_NE(one.fingerprint(), other.fingerprint());
  EXPECT_NE(one.fingerprint(), ByteTokenizer().fingerprint());
}

TEST(Tokenizer, SavesItsFileIntoTheFolder) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "tinylm_saved_tokenizer";
  const CharTokenizer tokenizer(U"ab");
  tokenizer.save(folder);
  EXPECT_EQ(read_file(folder / "tokenizer-char.json"), tokenizer.serialize());
  std::filesystem::remove_all(folder);
}

TEST(Tokenizer, RefusesAnIdOutsideTheVocabulary) {
  const ByteTokenizer tokenizer;
  expect_words(message_of<BadInput>([&] {
                 tokenizer.decode(std::vector<TokenId>{65, 258});
               }),
               {"token id 258", "vocabulary of 258", "expected 0 to 257", "use the tokenizer"});
  expect_words(message_of<BadInput>([&] { tokenizer.bytes_of(-1); }), {"token id -1"});
}

}  // namespace
}  // namespace tinylm
