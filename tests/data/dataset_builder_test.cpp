#include "data/dataset_builder.h"

#include <gtest/gtest.h>

#include "core/errors.h"
#include "dataset_test_support.h"

namespace tinylm {
namespace {

namespace fs = std::filesystem;
using DatasetBuilderTest = DatasetTest;

TEST_F(DatasetBuilderTest, HoldsOutTheLastPartOfTheTokens) {
  std::string text;
  for (int i = 0; i < 1005; ++i) text += static_cast<char>('a' + i % 26);
  const Dataset dataset = prepare(options_for(write("a.txt", text)));
  EXPECT_EQ(dataset.train().count, 904);  // floor(1005 * 0.9)
  EXPECT_EQ(dataset.val().count, 101);
  EXPECT_EQ(dataset.tokenizer().decode(ids_of(dataset.train())) + dataset.tokenizer().decode(ids_of(dataset.val())),
            text);
}

TEST_F(DatasetBuilderTest, MovesTheSplitToTheNextStart) {
  TextOptions options = options_for(write("a.txt", "aaaa\nbbbb\ncccc\ndddd\n"));
  options.documents = Documents::kLine;
  options.val_fraction = 0.4;  // of 4 * 6 tokens: token 14, within the third document
  const Dataset dataset = prepare(options);
  EXPECT_EQ(dataset.train().count, 18);
  EXPECT_EQ(dataset.val().count, 6);
  EXPECT_EQ(ids_of(dataset.val()).front(), dataset.tokenizer().start_id());
  EXPECT_EQ(dataset.tokenizer().decode(ids_of(dataset.val())), "dddd");
}

TEST_F(DatasetBuilderTest, SplitsWithinTheLastDocumentWhenNoneBeginsAfter) {
  TextOptions options = options_for(write("a.txt", "aa\nbbbbbbbbbbbbbbbbbb\n"));  // 4 + 20 tokens
  options.documents = Documents::kLine;
  options.val_fraction = 0.25;
  EXPECT_EQ(prepare(options).train().count, 18);
}

TEST_F(DatasetBuilderTest, TakesValidationFromAFileOfItsOwn) {
  TextOptions options = options_for(write("a.txt", "abcabcabc"));
  options.val = write("val.txt", "cab!").string();
  const Dataset dataset = prepare(options);
  EXPECT_EQ(dataset.train().count, 9);
  EXPECT_EQ(dataset.tokenizer().decode(ids_of(dataset.val())), "cab!") << "its characters count for the tokenizer too";
  EXPECT_TRUE(fs::exists(dataset.folder() / "val.tokens"));
}

TEST_F(DatasetBuilderTest, SaysWhenThereIsNoValidation) {
  LogCapture log;
  const Dataset dataset = prepare(options_for(write("a.txt", "abcdefgh")));  // a tenth is one token
  EXPECT_EQ(dataset.train().count, 8);
  EXPECT_EQ(dataset.val().count, 0);
  expect_mentions(log.text(), {"no validation: the held-out text has 1 token(s), at least 2 are needed"});
}

TEST_F(DatasetBuilderTest, SaysWhenAValidationFileIsTooShort) {
  TextOptions options = options_for(write("a.txt", "abc"));
  options.val = write("val.txt", "a").string();
  LogCapture log;
  EXPECT_EQ(prepare(options).val().count, 0);
  expect_mentions(log.text(), {"no validation"});
}

TEST_F(DatasetBuilderTest, HoldsOutNothingWhenAskedSo) {
  TextOptions options = options_for(write("a.txt", "abcdefgh"));
  options.val_fraction = 0;
  LogCapture log;
  const Dataset dataset = prepare(options);
  EXPECT_EQ(dataset.train().count, 8);
  EXPECT_EQ(dataset.val().count, 0);
  EXPECT_EQ(log.text().find("no validation"), std::string::npos);
}

TEST_F(DatasetBuilderTest, AnEmptyPromptIsStartWhereDocumentsAre) {
  TextOptions options = options_for(write("a.txt", "ab\ncd\n"));
  options.documents = Documents::kLine;
  const Dataset dataset = prepare(options);
  EXPECT_EQ(dataset.empty_prompt_id(), dataset.tokenizer().start_id());
}

TEST_F(DatasetBuilderTest, AnEmptyPromptIsANewlineWhereTheTextHasOne) {
  for (const std::string kind : {"char", "byte"}) {
    const Dataset dataset = prepare(options_for(write("a.txt", "ab\ncd")), kind);
    EXPECT_EQ(dataset.tokenizer().bytes_of(dataset.empty_prompt_id()), "\n") << kind;
  }
}

TEST_F(DatasetBuilderTest, AnEmptyPromptIsElseTheTextsFirstToken) {
  for (const std::string kind : {"char", "byte"}) {
    const Dataset dataset = prepare(options_for(write("a.txt", "xyz")), kind);
    EXPECT_EQ(dataset.tokenizer().bytes_of(dataset.empty_prompt_id()), "x") << kind;
  }
}

TEST_F(DatasetBuilderTest, ByteTokenizerTakesAnyBytes) {
  const Dataset dataset = prepare(options_for(write("a.bin", "\xFF\xFE\x80\xC3")), "byte");
  EXPECT_EQ(ids_of(dataset.train()), (std::vector<TokenId>{0xFF, 0xFE, 0x80, 0xC3}));
}

TEST_F(DatasetBuilderTest, OtherTokenizersRefuseBadUtf8) {
  expect_mentions(message_of<BadInput>([&] { prepare(options_for(write("a.txt", "ab\xFF"))); }), {"a.txt at byte 2"});
}

TEST_F(DatasetBuilderTest, AFixedTokenizerIsTakenAsItIs) {
  const Dataset first = prepare(options_for(write("a.txt", "abcd\n")));
  const Dataset second = prepare(options_for(write("b.txt", "dcba")), "byte", &first.tokenizer());
  EXPECT_EQ(second.tokenizer().fingerprint(), first.tokenizer().fingerprint());
  EXPECT_EQ(second.tokenizer().decode(ids_of(second.train())), "dcba");
}

TEST_F(DatasetBuilderTest, AFixedTokenizerNamesWhatItCannotEncodeAndLeavesNothing) {
  const Dataset first = prepare(options_for(write("a.txt", "abcd\n")));
  const TextOptions options = options_for(write("b.txt", "ab\ncdx\n"));
  expect_mentions(message_of<BadInput>([&] { prepare(options, "char", &first.tokenizer()); }),
                  {"b.txt, line 2, column 3", "\"x\""});
  EXPECT_EQ(cached(), 1) << "only the first dataset may be there";
}

TEST_F(DatasetBuilderTest, RefusesTextOfNothingButLineEnds) {
  TextOptions options = options_for(write("a.txt", "\n\n\n"));
  options.documents = Documents::kLine;
  expect_mentions(message_of<BadInput>([&] { prepare(options, "byte"); }), {"a.txt", "only line ends"});
}

TEST_F(DatasetBuilderTest, SaysHowMuchDiskIsNeededAndFree) {
  expect_mentions(message_of<FileError>([&] { require_free_disk(folder_, std::uint64_t{1} << 62); }),
                  {folder_.string(), "free", "4.6 EB"});
  require_free_disk(folder_, 1);
}

}  // namespace
}  // namespace tinylm
