// The C interface, through the library that the program opens.
#include "tokenizer/sentencepiece_plugin.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/errors.h"
#include "tests/tokenizer/test_text.h"
#include "tokenizer/sentencepiece_loader.h"
#include "tokenizer/sentencepiece_tokenizer.h"

namespace tinylm {
namespace {

TEST(SentencePiecePlugin, GivesErrorsAsText) {
  const auto uncounted = [](void*, const char** bytes, std::size_t* size) {
    *bytes = "word";
    *size = 4;
    return 1;
  };
  const SentencePieceTraining training{300, false, 4096, uncounted, nullptr};
  SentencePieceError error{};
  EXPECT_EQ(sentencepiece_plugin().train(&training, &error), nullptr);
  expect_words(error.text, {"word <tab> freq"});
}

TEST(SentencePiecePlugin, RefusesWhatIsNoModel) {
  SentencePieceError error{};
  EXPECT_EQ(sentencepiece_plugin().load("garbage", 7, &error), nullptr);
  EXPECT_GT(std::strlen(error.text), 0u);
}

TEST(SentencePiecePlugin, RefusesAModelWithoutBytePieces) {
  // ModelProto written by hand: two pieces (field 1), each with its text (1), score (2) and type (3: 2 is unknown, 1
  // normal).
  const std::string zero(4, '\0');
  const std::string model = "\x0A\x0E\x0A\x05<unk>\x15" + zero + "\x18\x02" +
                            "\x0A\x0A\x0A\x01"
                            "a\x15" +
                            zero + "\x18\x01";
  SentencePieceError error{};
  EXPECT_EQ(sentencepiece_plugin().load(model.data(), model.size(), &error), nullptr);
  expect_words(error.text, {"lacks byte pieces"});
}

TEST(SentencePiecePlugin, ReadsTheFileWithItsChecksumAsOtherProgramsDo) {
  StringReader text(prose());
  TokenizerOptions options;
  options.vocab_size = 350;
  const std::string file = SentencePieceTokenizer::make(options, 1, text)->serialize();
  const SentencePiecePlugin& plugin = sentencepiece_plugin();
  SentencePieceError error{};
  SentencePieceModel* model = plugin.load(file.data(), file.size(), &error);
  ASSERT_NE(model, nullptr) << error.text;
  EXPECT_EQ(plugin.ids(model).count, 350);
  plugin.release(model);
}

TEST(SentencePieceLoader, NamesALibraryThatIsMissing) {
  expect_words(message_of<FileError>([] { open_sentencepiece_plugin("/nowhere/libtinylm_sentencepiece.so"); }),
               {"cannot open the sentencepiece plugin", "/nowhere/libtinylm_sentencepiece.so",
                "is libsentencepiece installed?", "--tokenizer byte and char"});
}

TEST(SentencePieceLoader, RefusesAnotherLibrary) {
  expect_words(message_of<FileError>([] { open_sentencepiece_plugin("libm.so.6"); }),
               {"libm.so.6 is not tinylm's sentencepiece plugin", "build or install tinylm again"});
}

}  // namespace
}  // namespace tinylm
