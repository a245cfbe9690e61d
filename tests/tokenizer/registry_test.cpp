#include "tokenizer/registry.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/errors.h"
#include "core/option_table.h"
#include "tests/tokenizer/test_text.h"

namespace tinylm {
namespace {

class TokenizerFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  const std::filesystem::path folder_ = std::filesystem::path(::testing::TempDir()) / "tinylm_tokenizer_folder";
};

TokenizerOptions options_of(const std::string& kind) {
  TokenizerOptions options;
  options.tokenizer = kind;
  options.vocab_size = 350;
  return options;
}

std::string problems_of(const TokenizerOptions& options) {
  Problems problems;
  options.validate(problems);
  std::string all;
  for (const std::string& message : problems.messages()) all += message + "\n";
  return all;
}

TEST(TokenizerKinds, AreByteCharAndSentencepiece) {
  EXPECT_EQ(tokenizer_kinds(), (std::vector<std::string>{"byte", "char", "sentencepiece"}));
}

TEST_F(TokenizerFolder, BringsBackEveryKind) {
  for (const std::string& kind : tokenizer_kinds()) {
    StringReader text(prose());
    const auto tokenizer = make_tokenizer(options_of(kind), 1, text);
    EXPECT_EQ(tokenizer->kind(), kind);
    tokenizer->save(folder_);
    const auto loaded = load_tokenizer(folder_);
    EXPECT_EQ(loaded->kind(), kind);
    EXPECT_EQ(loaded->fingerprint(), tokenizer->fingerprint());
    EXPECT_EQ(loaded->decode(loaded->encode(prose())), prose());
    std::filesystem::remove(folder_ / tokenizer->file_name());
  }
}

TEST_F(TokenizerFolder, IsRefusedWithoutATokenizer) {
  expect_words(message_of<FileError>([&] { load_tokenizer(folder_); }),
               {"no tokenizer in " + folder_.string(), "tokenizer-byte.json, tokenizer-char.json, tokenizer.model",
                "is this the folder of a run?"});
}

TEST_F(TokenizerFolder, IsRefusedWithTwoTokenizers) {
  std::ofstream(folder_ / "tokenizer-byte.json") << "{}";
  std::ofstream(folder_ / "tokenizer.model") << "";
  expect_words(message_of<FileError>([&] { load_tokenizer(folder_); }),
               {"holds two tokenizers, tokenizer-byte.json and tokenizer.model", "remove the one"});
}

TEST_F(TokenizerFolder, IsRefusedWithADamagedTokenizer) {
  std::ofstream(folder_ / "tokenizer-char.json") << "{\"kind\":";
  expect_words(message_of<FileError>([&] { load_tokenizer(folder_); }),
               {(folder_ / "tokenizer-char.json").string(), "is damaged"});
}

TEST(TokenizerOptions, AreReadFromTheTextSection) {
  TokenizerOptions options;
  OptionTable table;
  options.describe(table);
  table.read_toml_text(
      "[text]\ntokenizer = \"sentencepiece\"\nvocab_size = 512\nsentencepiece_model = \"bpe\"\n"
      "tokenizer_sample_mb = 3\n",
      "test.toml");
  EXPECT_EQ(options.tokenizer, "sentencepiece");
  EXPECT_EQ(options.vocab_size, 512);
  EXPECT_EQ(options.sentencepiece_model, "bpe");
  EXPECT_EQ(options.tokenizer_sample_mb, 3);
}

TEST(TokenizerOptions, AreValidAsTheyCome) {
  EXPECT_EQ(problems_of({}), "");
}

TEST(TokenizerOptions, NameWhatCannotBeMeant) {
  TokenizerOptions options;
  options.tokenizer = "chra";
  options.sentencepiece_model = "word";
  options.vocab_size = 260;
  options.tokenizer_sample_mb = 0;
  expect_words(problems_of(options),
               {"tokenizer = \"chra\": expected one of byte, char, sentencepiece; did you mean \"char\"?",
                "sentencepiece_model = \"word\": expected one of unigram, bpe",
                "vocab_size = 260: expected 261 to 1,000,000", "tokenizer_sample_mb = 0: expected 1 to 1,000"});
  options.vocab_size = 1'000'001;
  options.tokenizer_sample_mb = 1001;
  expect_words(problems_of(options), {"vocab_size = 1000001", "tokenizer_sample_mb = 1001"});
}

TEST(MakeTokenizer, RefusesWhatCannotBeMeant) {
  StringReader text(prose());
  expect_words(message_of<WrongUse>([&] { make_tokenizer(options_of("word"), 1, text); }), {"tokenizer = \"word\""});
}

}  // namespace
}  // namespace tinylm
