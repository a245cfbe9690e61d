#include "tokenizer/sentencepiece_tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "core/checksum.h"
#include "core/errors.h"
#include "tests/tokenizer/test_text.h"

namespace tinylm {
namespace {

TokenizerOptions options_for(const std::string& model, std::int64_t vocab_size = 400) {
  TokenizerOptions options;
  options.tokenizer = "sentencepiece";
  options.sentencepiece_model = model;
  options.vocab_size = vocab_size;
  return options;
}

std::unique_ptr<Tokenizer> trained(const std::string& model, const std::string& text, std::int64_t vocab_size = 400,
                                   std::size_t piece_bytes = 100'000) {
  StringReader reader(text, piece_bytes);
  return SentencePieceTokenizer::make(options_for(model, vocab_size), 1, reader);
}

class SentencePieceModels : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Both, SentencePieceModels, ::testing::Values("unigram", "bpe"),
                         [](const auto& tested) { return tested.param; });

/// Whether `text` comes back, and no id is START, END or the unknown piece (id 0).
void expect_exact(const Tokenizer& tokenizer, const std::string& text) {
  const std::vector<TokenId> ids = tokenizer.encode(text);
  ASSERT_EQ(tokenizer.decode(ids), text);
  for (const TokenId id : ids) {
    ASSERT_TRUE(id != 0 && id != tokenizer.start_id() && id != tokenizer.end_id()) << "in " << text;
  }
}

TEST_P(SentencePieceModels, BringBackTenThousandTexts) {
  const auto tokenizer = trained(GetParam(), prose());
  for (const std::string& text : random_texts(10'000)) expect_exact(*tokenizer, text);
}

TEST_P(SentencePieceModels, BringBackTextsWhenTheTrainingTextHadSuchCharacters) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "a\u2581b <s> \u2585 <0x41>\t\t" + std::string(1, '\0') + " \uFFFD e\u0301\r\n";
  const auto tokenizer = trained(GetParam(), text);
  expect_exact(*tokenizer, text);
  for (const std::string& other : random_texts(1000)) expect_exact(*tokenizer, other);
}

TEST_P(SentencePieceModels, BringBackSpacesThatTheyNeverSaw) {
  const auto tokenizer =
      trained(GetParam(), "\u4ECA\u5929\u5929\u6C14\u5F88\u597D\u4ECA\u5929\n\u5929\u6C14\u4ECA\u5929\n");
  expect_exact(*tokenizer, " \u4ECA\u5929  \u5929\u6C14\u2581 \u2581 ");
  EXPECT_EQ(tokenizer->encode(" ").size(), 1u);
}

TEST_P(SentencePieceModels, KeepNamesOfSpecialPiecesPlainText) {
  const auto tokenizer = trained(GetParam(), prose());
  for (TokenId id = 0; id < tokenizer->vocabulary_size(); ++id) expect_exact(*tokenizer, tokenizer->label(id));
  for (const std::string text : {"<s>", "</s>", "<unk>", "<pad>", "<0x41>", "<0x0A>", "\u2581", "\u2581the"}) {
    expect_exact(*tokenizer, text);
    EXPECT_NE(tokenizer->encode(text), tokenizer->encode("A"));
  }
}

TEST_P(SentencePieceModels, GiveTheNewlineOnePieceOfItsOwn) {
  const auto tokenizer = trained(GetParam(), prose());
  const std::vector<TokenId> newline = tokenizer->encode("\n");
  ASSERT_EQ(newline.size(), 1u);
  EXPECT_EQ(tokenizer->encode("\n\n"), (std::vector<TokenId>{newline[0], newline[0]}));
  EXPECT_EQ(tokenizer->bytes_of(newline[0]), "\n");
}

TEST_P(SentencePieceModels, LearnPiecesOfWords) {
  const auto tokenizer = trained(GetParam(), prose());
  const std::string text = "the river and the heron";
  EXPECT_LT(tokenizer->encode(text).size(), text.size() / 2);
}

TEST_P(SentencePieceModels, EncodeLinesAsTheyEncodeTheWhole) {
  const auto tokenizer = trained(GetParam(), prose());
  std::string text = prose() + "\n\n  x\n" + std::string(10'000, 'y') + "\nlast";
  for (const std::string& other : random_texts(200)) text += other;
  std::vector<TokenId> by_line;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    tokenizer->encode(std::string_view(text).substr(begin, end - begin), by_line);
    begin = end;
  }
  EXPECT_EQ(by_line, tokenizer->encode(text));
}

TEST_P(SentencePieceModels, TakeLinesOfAnyLength) {
  std::string line;
  while (line.size() < 100'000) line += "\u4ECA\u5929\u5929\u6C14\u5F88\u597D" + std::to_string(line.size() % 97);
  const auto tokenizer = trained(GetParam(), line);
  expect_exact(*tokenizer, line);
  expect_exact(*tokenizer, line + "\n" + line);
  EXPECT_LT(tokenizer->encode(line).size(), line.size() / 3);
}

TEST_P(SentencePieceModels, AreTheSameForTheSameTextAndSeed) {
  EXPECT_EQ(trained(GetParam(), prose(), 400, 10)->serialize(), trained(GetParam(), prose())->serialize());
  EXPECT_NE(trained(GetParam(), prose() + prose() + "fish")->fingerprint(),
            trained(GetParam(), prose())->fingerprint());
}

TEST_P(SentencePieceModels, ComeBackFromTheirFile) {
  const auto tokenizer = trained(GetParam(), prose());
  const auto loaded = SentencePieceTokenizer::load(tokenizer->serialize(), "f");
  EXPECT_EQ(loaded->serialize(), tokenizer->serialize());
  EXPECT_EQ(loaded->fingerprint(), tokenizer->fingerprint());
  EXPECT_EQ(loaded->vocabulary_size(), tokenizer->vocabulary_size());
  EXPECT_EQ(loaded->encode(prose()), tokenizer->encode(prose()));
}

TEST_P(SentencePieceModels, TakeWhatTheTextSupportsAndSaySo) {
  const CapturedLog log;
  const auto tokenizer = trained(GetParam(), prose(), 50'000);
  EXPECT_LT(tokenizer->vocabulary_size(), 50'000);
  expect_words(log.text(), {"sentencepiece (" + GetParam() + "): training on 7 of 7 lines", "drawn with seed 1",
                            "vocabulary " + std::to_string(tokenizer->vocabulary_size()), "of the 50,000 asked for"});
}

TEST_P(SentencePieceModels, TrainOnADrawnSampleOfALongText) {
  const CapturedLog log;
  std::string text;
  for (int i = 0; text.size() < 3'000'000; ++i) text += "the same words and number " + std::to_string(i % 500) + "\n";
  StringReader reader(text);
  TokenizerOptions options = options_for(GetParam());
  options.tokenizer_sample_mb = 1;
  expect_exact(*SentencePieceTokenizer::make(options, 7, reader), prose());
  expect_words(log.text(), {" lines (1.0 MB of 2.9 MB), drawn with seed 7"});
}

TEST_P(SentencePieceModels, NameTheSmallestVocabularyThatWorks) {
  for (const std::string& text :
       {prose(), prose() + "<s>\t\u2581\u2585 <0x41>", std::string("a"), std::string("abc abd\n")}) {
    StringReader reader(text);
    const std::string message = message_of<BadInput>([&] {
      SentencePieceTokenizer::make(options_for(GetParam(), SentencePieceTokenizer::kFixedPieces), 1, reader);
    });
    expect_words(message, {"vocab_size 260 is too small", "different characters", "256 bytes and 4 special pieces"});
    const std::string flag = "give --vocab-size ";
    const std::int64_t smallest = std::stoll(message.substr(message.find(flag) + flag.size()));
    const auto tokenizer = trained(GetParam(), text, smallest);
    EXPECT_EQ(tokenizer->vocabulary_size(), smallest);
    expect_exact(*tokenizer, text);
    EXPECT_THROW(trained(GetParam(), text, smallest - 1), BadInput);
  }
}

TEST_P(SentencePieceModels, RefuseATextWithoutCharacters) {
  for (const std::string text : {"", "\n\n", "\t\n", "<s>\n"}) {
    expect_words(message_of<BadInput>([&] { trained(GetParam(), text); }),
                 {"no characters to learn pieces from", "give a longer text", "--tokenizer byte or char"});
  }
}

TEST_P(SentencePieceModels, TakeTheSmallestTexts) {
  for (const std::string& text : {std::string("a"), std::string(" "), std::string("hello"), std::string("hello\n"),
                                  std::string(38, 'a'), std::string(5000, ' '), std::string("\U0001F600")}) {
    expect_exact(*trained(GetParam(), text), text);
  }
}

TEST_P(SentencePieceModels, LeaveStandardErrorAlone) {
  const CapturedLog log;
  ::testing::internal::CaptureStderr();
  const auto tokenizer = trained(GetParam(), prose() + std::string(9000, 'x'));
  EXPECT_THROW(SentencePieceTokenizer::load("broken", "f"), FileError);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_P(SentencePieceModels, RefuseBytesThatAreNotUtf8) {
  std::vector<TokenId> ids{5};
  expect_words(message_of<BadInput>([&] { trained(GetParam(), prose())->encode("ab\n\xE2\x96", ids); }),
               {"not UTF-8", "<E2>", "offset 3"});
  EXPECT_EQ(ids, std::vector<TokenId>{5});
}

/// Reads well once, for the first look at the text; what comes then is another text, or an error when there is none.
class ChangingReader : public TextReader {
 public:
  explicit ChangingReader(std::string later) : later_(std::move(later)) {}
  bool next(std::string& piece) override {
    if (given_) return false;
    if (rewound_ > 1 && later_.empty()) throw FileError("the disk is gone");
    piece = rewound_ > 1 ? later_ : prose();
    return given_ = true;
  }
  void rewind() override {
    given_ = false;
    ++rewound_;
  }

 private:
  std::string later_;
  int rewound_ = 0;
  bool given_ = false;
};

TEST_P(SentencePieceModels, PassOnWhatTheReaderThrows) {
  ChangingReader reader("");
  EXPECT_EQ(message_of<FileError>([&] { SentencePieceTokenizer::make(options_for(GetParam()), 1, reader); }),
            "the disk is gone");
}

TEST_P(SentencePieceModels, SayWhyTheTrainerRefusedAText) {
  std::string many;
  for (std::uint32_t c = 0x4E00; c < 0x5000; ++c) many += utf8_of(c);
  ChangingReader reader(many);
  expect_words(
      message_of<BadInput>([&] { SentencePieceTokenizer::make(options_for(GetParam()), 1, reader); }),
      {"sentencepiece cannot learn pieces from this text (7 lines", "ocabulary size", "--tokenizer char or byte"});
}

TEST(SentencePieceTokenizer, MapsStartAndEndToSpecialPieces) {
  const auto tokenizer = trained("unigram", prose(), 350);
  EXPECT_EQ(tokenizer->bytes_of(tokenizer->start_id()), "");
  EXPECT_EQ(tokenizer->bytes_of(tokenizer->end_id()), "");
  EXPECT_EQ(tokenizer->label(tokenizer->start_id()), "START");
  EXPECT_EQ(tokenizer->bytes_of(0), "\uFFFD");
  EXPECT_EQ(tokenizer->vocabulary_size(), 350);
}

TEST(SentencePieceTokenizer, GivesWhatHasNoPieceAsBytes) {
  const auto tokenizer = trained("unigram", prose());
  const auto ids = tokenizer->encode("\u2581\U0001F600");
  ASSERT_EQ(ids.size(), 7u);
  EXPECT_EQ(tokenizer->bytes_of(ids[0]), "\xE2");
  EXPECT_EQ(tokenizer->label(ids[6]), "<80>");
}

TEST(SentencePieceTokenizer, FindsAnyDamageOfItsFile) {
  const std::string file = trained("bpe", prose())->serialize();
  const auto refusal = [](const std::string& bytes) {
    return message_of<FileError>([&] { SentencePieceTokenizer::load(bytes, "run/tokenizer.model"); });
  };
  expect_words(refusal(file.substr(0, file.size() / 2)),
               {"run/tokenizer.model", "damaged", "checksum", "copy the file again"});
  expect_words(refusal(""), {"damaged"});
  expect_words(refusal(file + "x"), {"damaged"});
  for (std::size_t at = 0; at < file.size(); at += 97) {
    std::string changed = file;
    changed[at] ^= 4;
    expect_words(refusal(changed), {"damaged"});
  }
}

TEST(SentencePieceTokenizer, SaysWhenSentencepieceRefusesAFile) {
  const std::string content = "no model";
  const std::string file = content + "\xC2\x3E\x10" + to_hex(checksum_of(content));
  expect_words(message_of<FileError>([&] { SentencePieceTokenizer::load(file, "f"); }),
               {"damaged", "sentencepiece refuses it"});
}

}  // namespace
}  // namespace tinylm
