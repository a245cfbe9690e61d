#include "tokenizer/byte_tokenizer.h"

#include <gtest/gtest.h>

#include "core/errors.h"
#include "tests/tokenizer/test_text.h"

namespace tinylm {
namespace {

TEST(ByteTokenizer, GivesEachByteItsOwnNumber) {
  const ByteTokenizer tokenizer;
  EXPECT_EQ(tokenizer.encode("Az\n\xFF"), (std::vector<TokenId>{65, 122, 10, 255}));
  EXPECT_EQ(tokenizer.vocabulary_size(), 258);
  EXPECT_EQ(tokenizer.start_id(), 256);
  EXPECT_EQ(tokenizer.end_id(), 257);
}

TEST(ByteTokenizer, AppendsToTheIdsThatAreThere) {
  std::vector<TokenId> ids{256};
  ByteTokenizer().encode("a", ids);
  EXPECT_EQ(ids, (std::vector<TokenId>{256, 97}));
}

TEST(ByteTokenizer, BringsBackAnyByteString) {
  const ByteTokenizer tokenizer;
  std::mt19937 random(5);
  for (int i = 0; i < 1000; ++i) {
    std::string bytes(random() % 50, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    ASSERT_EQ(tokenizer.decode(tokenizer.encode(bytes)), bytes);
  }
}

TEST(ByteTokenizer, BringsBackTenThousandTexts) {
  const ByteTokenizer tokenizer;
  for (const std::string& text : random_texts(10'000)) ASSERT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
}

TEST(ByteTokenizer, IsMadeWithoutReadingTheText) {
  StringReader empty("");
  EXPECT_EQ(ByteTokenizer::make({}, 1, empty)->vocabulary_size(), 258);
}

TEST(ByteTokenizer, RefusesADamagedFile) {
  expect_words(message_of<FileError>([] { ByteTokenizer::load("{\"kind\":\"by", "run/tokenizer-byte.json"); }),
               {"run/tokenizer-byte.json", "damaged", "not a JSON object", "copy the file again"});
  expect_words(message_of<FileError>([] { ByteTokenizer::load("{\"kind\":\"char\"}", "f"); }),
               {"\"kind\" is not \"byte\""});
  expect_words(message_of<FileError>([] { ByteTokenizer::load("[1]", "f"); }), {"not a JSON object"});
  expect_words(message_of<FileError>([] { ByteTokenizer::load("{}", "f"); }), {"\"kind\" is not \"byte\""});
}

}  // namespace
}  // namespace tinylm
