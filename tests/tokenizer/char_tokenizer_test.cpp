#include "tokenizer/char_tokenizer.h"

#include <gtest/gtest.h>

#include "core/errors.h"
#include "tests/tokenizer/test_text.h"

namespace tinylm {
namespace {

std::unique_ptr<Tokenizer> made_from(const std::string& text, std::size_t piece_bytes = 100'000) {
  StringReader reader(text, piece_bytes);
  return CharTokenizer::make({}, 1, reader);
}

TEST(CharTokenizer, NumbersTheCharactersOfTheTextInAscendingOrder) {
  const auto tokenizer = made_from("b\u00E9a\U0001F600 \na");  // \n, space, a, b, U+00E9, U+1F600
  EXPECT_EQ(tokenizer->encode("ab \n\u00E9\U0001F600"), (std::vector<TokenId>{2, 3, 1, 0, 4, 5}));
  EXPECT_EQ(tokenizer->start_id(), 6);
  EXPECT_EQ(tokenizer->end_id(), 7);
  EXPECT_EQ(tokenizer->vocabulary_size(), 8);
  EXPECT_EQ(tokenizer->bytes_of(5), "\U0001F600");
  EXPECT_EQ(tokenizer->bytes_of(6), "");
}

TEST(CharTokenizer, IsTheSameHoweverTheTextIsCut) {
  EXPECT_EQ(made_from(prose(), 1)->serialize(), made_from(prose())->serialize());
}

TEST(CharTokenizer, SaysWhatItTook) {
  const CapturedLog log;
  made_from("aba");
  EXPECT_EQ(log.text(), "char tokenizer: 2 characters, START and END: vocabulary 4\n");
}

TEST(CharTokenizer, BringsBackTenThousandTexts) {
  const std::vector<std::string> texts = random_texts(10'000);
  std::string all;
  for (const std::string& text : texts) all += text;
  const auto tokenizer = made_from(all, 1000);
  for (const std::string& text : texts) ASSERT_EQ(tokenizer->decode(tokenizer->encode(text)), text);
}

TEST(CharTokenizer, NamesACharacterItNeverSaw) {
  const auto tokenizer = made_from("ab \u00E9");
  std::vector<TokenId> ids{7};
  expect_words(message_of<BadInput>([&] { tokenizer->encode("\u00E9 \u00E9a\u4E2Db", ids); }),
               {"'\u4E2D'", "U+4E2D", "byte offset 6", "character 5 of the text", "4 characters", "leave it out",
                "--tokenizer byte or sentencepiece"});
  EXPECT_EQ(ids, std::vector<TokenId>{7});
  expect_words(message_of<BadInput>([&] { tokenizer->encode("\U0001F600"); }),
               {"U+1F600", "byte offset 0", "character 1 "});
  expect_words(message_of<BadInput>([&] { tokenizer->encode("a\t"); }), {"U+0009", "byte offset 1"});
}

TEST(CharTokenizer, RefusesBytesThatAreNotUtf8) {
  expect_words(message_of<BadInput>([] { made_from("ab")->encode("ab\xFF"); }),
               {"not UTF-8", "<FF>", "offset 2", "--tokenizer byte", "--tokenizer byte"});
}

TEST(CharTokenizer, RefusesAnEmptyText) {
  expect_words(message_of<BadInput>([] { made_from(""); }), {"the text is empty", "give a text"});
}

TEST(CharTokenizer, ComesBackFromItsFile) {
  const std::string text = "\n \"\\ab\u00E9\u2581\U0001F600" + std::string(1, '\0');
  const auto tokenizer = made_from(text);
  const auto loaded = CharTokenizer::load(tokenizer->serialize(), "f");
  EXPECT_EQ(loaded->serialize(), tokenizer->serialize());
  EXPECT_EQ(loaded->fingerprint(), tokenizer->fingerprint());
  EXPECT_EQ(loaded->encode(text), tokenizer->encode(text));
}

TEST(CharTokenizer, RefusesADamagedFile) {
  const std::string file = made_from("abc")->serialize();
  const auto with = [&](const std::string& old_part, const std::string& new_part) {
    std::string changed = file;
    changed.replace(changed.find(old_part), old_part.size(), new_part);
    return message_of<FileError>([&] { CharTokenizer::load(changed, "run/tokenizer-char.json"); });
  };
  expect_words(with("abc", "abd"), {"run/tokenizer-char.json", "damaged", "checksum"});
  expect_words(with("\"checksum\"", "\"other\""), {"checksum"});
  expect_words(with("\"abc\"", "3"), {"no text \"characters\""});
  expect_words(with("\"kind\": \"char\"", "\"kind\": \"byte\""), {"\"kind\" is not \"char\""});
  expect_words(message_of<FileError>([&] { CharTokenizer::load(file.substr(0, file.size() / 2), "f"); }),
               {"not a JSON object"});
}

TEST(CharTokenizer, RefusesCharactersOutOfOrder) {
  const std::string file = CharTokenizer(U"ba").serialize();  // a checksum that is right for the wrong order
  expect_words(message_of<FileError>([&] { CharTokenizer::load(file, "f"); }), {"not in ascending order at U+0061"});
}

}  // namespace
}  // namespace tinylm
