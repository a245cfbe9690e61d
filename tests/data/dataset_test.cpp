#include "data/dataset.h"

#include <gtest/gtest.h>

#include <thread>

#include "core/errors.h"
#include "core/files.h"
#include "data/dataset_builder.h"
#include "data/dataset_manifest.h"
#include "data/temporary.h"
#include "data_test_support.h"

namespace tinylm {
namespace {

namespace fs = std::filesystem;

class DatasetTest : public FolderTest {
 protected:
  TextOptions options_for(const fs::path& file) const {
    TextOptions options;
    options.text = {file.string()};
    return options;
  }
  Dataset prepare(const TextOptions& options, const std::string& kind = "char",
                  const Tokenizer* fixed = nullptr) const {
    TokenizerOptions tokenizer;
    tokenizer.tokenizer = kind;
    return prepare_dataset(options, tokenizer, 1, folder_ / "cache", fixed);
  }
  /// A dataset of 100 characters, 90 of them for training; the same one at every call.
  Dataset prepare_hundred() const {
    const fs::path file = folder_ / "hundred.txt";
    if (!fs::exists(file)) write("hundred.txt", std::string(50, 'a') + std::string(50, 'b'));
    return prepare(options_for(file));
  }
  std::ptrdiff_t cached() const { return std::distance(fs::directory_iterator(folder_ / "cache"), {}); }
};

std::vector<TokenId> ids_of(const TokenRange& range) {
  std::vector<TokenId> ids;
  for (std::int64_t i = 0; i < range.count; ++i) ids.push_back((*range.file)[range.first + i]);
  return ids;
}

std::string opening_message(const fs::path& folder) {
  return message_of<FileError>([&] { Dataset::open(folder, true); });
}

TEST_F(DatasetTest, HoldsOutTheLastPartOfTheTokens) {
  std::string text;
  for (int i = 0; i < 1005; ++i) text += static_cast<char>('a' + i % 26);
  const Dataset dataset = prepare(options_for(write("a.txt", text)));
  EXPECT_EQ(dataset.train().count, 904);  // floor(1005 * 0.9)
  EXPECT_EQ(dataset.val().count, 101);
  EXPECT_EQ(dataset.tokenizer().decode(ids_of(dataset.train())) + dataset.tokenizer().decode(ids_of(dataset.val())),
            text);
}

TEST_F(DatasetTest, MovesTheSplitToTheNextStart) {
  TextOptions options = options_for(write("a.txt", "aaaa\nbbbb\ncccc\ndddd\n"));
  options.documents = Documents::kLine;
  options.val_fraction = 0.4;  // of 4 * 6 tokens: token 14, within the third document
  const Dataset dataset = prepare(options);
  EXPECT_EQ(dataset.train().count, 18);
  EXPECT_EQ(dataset.val().count, 6);
  EXPECT_EQ(ids_of(dataset.val()).front(), dataset.tokenizer().start_id());
  EXPECT_EQ(dataset.tokenizer().decode(ids_of(dataset.val())), "dddd");
}

TEST_F(DatasetTest, SplitsWithinTheLastDocumentWhenNoneBeginsAfter) {
  TextOptions options = options_for(write("a.txt", "aa\nbbbbbbbbbbbbbbbbbb\n"));  // 4 + 20 tokens
  options.documents = Documents::kLine;
  options.val_fraction = 0.25;
  EXPECT_EQ(prepare(options).train().count, 18);
}

TEST_F(DatasetTest, TakesValidationFromAFileOfItsOwn) {
  TextOptions options = options_for(write("a.txt", "abcabcabc"));
  options.val = write("val.txt", "cab!").string();
  const Dataset dataset = prepare(options);
  EXPECT_EQ(dataset.train().count, 9);
  EXPECT_EQ(dataset.tokenizer().decode(ids_of(dataset.val())), "cab!") << "its characters count for the tokenizer too";
  EXPECT_TRUE(fs::exists(dataset.folder() / "val.tokens"));
}

TEST_F(DatasetTest, SaysWhenThereIsNoValidation) {
  LogCapture log;
  const Dataset dataset = prepare(options_for(write("a.txt", "abcdefgh")));  // a tenth is one token
  EXPECT_EQ(dataset.train().count, 8);
  EXPECT_EQ(dataset.val().count, 0);
  expect_mentions(log.text(), {"no validation: the held-out text has 1 token(s), at least 2 are needed"});
}

TEST_F(DatasetTest, SaysWhenAValidationFileIsTooShort) {
  TextOptions options = options_for(write("a.txt", "abc"));
  options.val = write("val.txt", "a").string();
  LogCapture log;
  EXPECT_EQ(prepare(options).val().count, 0);
  expect_mentions(log.text(), {"no validation"});
}

TEST_F(DatasetTest, HoldsOutNothingWhenAskedSo) {
  TextOptions options = options_for(write("a.txt", "abcdefgh"));
  options.val_fraction = 0;
  LogCapture log;
  const Dataset dataset = prepare(options);
  EXPECT_EQ(dataset.train().count, 8);
  EXPECT_EQ(dataset.val().count, 0);
  EXPECT_EQ(log.text().find("no validation"), std::string::npos);
}

TEST_F(DatasetTest, AnEmptyPromptIsStartWhereDocumentsAre) {
  TextOptions options = options_for(write("a.txt", "ab\ncd\n"));
  options.documents = Documents::kLine;
  const Dataset dataset = prepare(options);
  EXPECT_EQ(dataset.empty_prompt_id(), dataset.tokenizer().start_id());
}

TEST_F(DatasetTest, AnEmptyPromptIsANewlineWhereTheTextHasOne) {
  for (const std::string kind : {"char", "byte"}) {
    const Dataset dataset = prepare(options_for(write("a.txt", "ab\ncd")), kind);
    EXPECT_EQ(dataset.tokenizer().bytes_of(dataset.empty_prompt_id()), "\n") << kind;
  }
}

TEST_F(DatasetTest, AnEmptyPromptIsElseTheTextsFirstToken) {
  for (const std::string kind : {"char", "byte"}) {
    const Dataset dataset = prepare(options_for(write("a.txt", "xyz")), kind);
    EXPECT_EQ(dataset.tokenizer().bytes_of(dataset.empty_prompt_id()), "x") << kind;
  }
}

TEST_F(DatasetTest, ByteTokenizerTakesAnyBytes) {
  const Dataset dataset = prepare(options_for(write("a.bin", "\xFF\xFE\x80\xC3")), "byte");
  EXPECT_EQ(ids_of(dataset.train()), (std::vector<TokenId>{0xFF, 0xFE, 0x80, 0xC3}));
}

TEST_F(DatasetTest, OtherTokenizersRefuseBadUtf8) {
  expect_mentions(message_of<BadInput>([&] { prepare(options_for(write("a.txt", "ab\xFF"))); }), {"a.txt at byte 2"});
}

TEST_F(DatasetTest, AFixedTokenizerIsTakenAsItIs) {
  const Dataset first = prepare(options_for(write("a.txt", "abcd\n")));
  const Dataset second = prepare(options_for(write("b.txt", "dcba")), "byte", &first.tokenizer());
  EXPECT_EQ(second.tokenizer().fingerprint(), first.tokenizer().fingerprint());
  EXPECT_EQ(second.tokenizer().decode(ids_of(second.train())), "dcba");
}

TEST_F(DatasetTest, AFixedTokenizerNamesWhatItCannotEncodeAndLeavesNothing) {
  const Dataset first = prepare(options_for(write("a.txt", "abcd\n")));
  const TextOptions options = options_for(write("b.txt", "ab\ncdx\n"));
  expect_mentions(message_of<BadInput>([&] { prepare(options, "char", &first.tokenizer()); }),
                  {"b.txt, line 2, column 3", "\"x\""});
  EXPECT_EQ(cached(), 1) << "only the first dataset may be there";
}

TEST_F(DatasetTest, RefusesTextOfNothingButLineEnds) {
  TextOptions options = options_for(write("a.txt", "\n\n\n"));
  options.documents = Documents::kLine;
  expect_mentions(message_of<BadInput>([&] { prepare(options, "byte"); }), {"a.txt", "only line ends"});
}

TEST_F(DatasetTest, IsReusedWhenNothingChangedAndSaysSo) {
  const fs::path tokens = prepare_hundred().folder() / "train.tokens";
  const auto written = fs::last_write_time(tokens);
  LogCapture log;
  const Dataset again = prepare_hundred();
  EXPECT_EQ(again.folder(), tokens.parent_path());
  EXPECT_EQ(fs::last_write_time(tokens), written);
  EXPECT_EQ(cached(), 1);
  expect_mentions(log.text(), {"using the text as prepared before", "90 tokens for training", "10 for validation"});
}

TEST_F(DatasetTest, IsMadeAnewWhenAFileChangedThoughItsSizeDidNot) {
  const fs::path file = write("a.txt", "aaaa");
  const fs::path before = prepare(options_for(file)).folder();
  const auto time = fs::last_write_time(file);
  write("a.txt", "bbbb");
  fs::last_write_time(file, time + std::chrono::nanoseconds(1000));
  const Dataset after = prepare(options_for(file));
  EXPECT_NE(after.folder(), before);
  EXPECT_EQ(after.tokenizer().decode(ids_of(after.train())), "bbbb");
}

TEST_F(DatasetTest, IsMadeAnewForOtherFilesOrOptions) {
  const fs::path file = write("a.txt", "aaaa\nbbbb\n\ncccc\n"), other = write("b.txt", "dd");
  std::vector<TextOptions> all(8, options_for(file));
  all[1].text = {file.string(), other.string()};
  all[2].text = {other.string(), file.string()};
  all[3].documents = Documents::kLine;
  all[4].val_fraction = 0.2;
  all[5].val = other.string();
  all[6].keep_crlf = true;
  all[7].bad_utf8 = "replace";
  for (const TextOptions& options : all) prepare(options);
  EXPECT_EQ(cached(), 8);
  prepare(all[0], "byte");
  EXPECT_EQ(cached(), 9);
  prepare_dataset(all[0], {}, /*seed=*/2, folder_ / "cache");
  EXPECT_EQ(cached(), 10);
}

TEST_F(DatasetTest, IsTheSameForAFileNamedInAnotherWay) {
  prepare(options_for(write("sub/a.txt", "aaaa")));
  prepare(options_for(folder_ / "sub" / ".." / "sub" / "a.txt"));
  EXPECT_EQ(cached(), 1);
}

TEST_F(DatasetTest, IsMadeAgainWithANoticeWhenDamaged) {
  const std::vector<std::pair<std::string, std::string>> damages{
      {"train.tokens", "damaged token file"}, {"dataset.json", "damaged"}, {"tokenizer-char.json", "damaged"}};
  for (const auto& [name, reason] : damages) {
    const fs::path file = prepare_hundred().folder() / name;
    std::string bytes = read_file(file);
    bytes[bytes.size() - 3] ^= 1;  // a token id, a brace, a digit of the checksum
    std::ofstream(file, std::ios::binary) << bytes;
    LogCapture log;
    const Dataset again = prepare_hundred();
    expect_mentions(log.text(), {"the prepared text is made again", name, reason});
    EXPECT_EQ(again.folder(), file.parent_path());
    again.train().file->verify();
    EXPECT_EQ(cached(), 1) << "the damaged one was left";
  }
}

TEST_F(DatasetTest, IsMadeAgainWhenAPartIsMissing) {
  for (const std::string name : {"train.tokens", "dataset.json", "tokenizer-char.json"}) {
    fs::remove(prepare_hundred().folder() / name);
    LogCapture log;
    EXPECT_EQ(prepare_hundred().train().count, 90);
    expect_mentions(log.text(), {"the prepared text is made again"});
  }
}

TEST_F(DatasetTest, ManyPreparingTheSameAtOnceAllGetIt) {
  const TextOptions options = options_for(write("a.txt", std::string(100000, 'a') + std::string(100000, 'b')));
  std::vector<std::thread> threads;
  std::vector<std::int64_t> counts(6);
  for (auto& count : counts) threads.emplace_back([&] { count = prepare(options).train().count; });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(counts, std::vector<std::int64_t>(6, 180000));
  EXPECT_EQ(cached(), 1);
}

TEST_F(DatasetTest, LinksIntoARunAndOutlivesTheCache) {
  TextOptions options = options_for(write("a.txt", "abcabcabc\n"));
  options.val = write("val.txt", "cab").string();
  {
    const Dataset dataset = prepare(options);
    dataset.link_into(folder_ / "run" / "data");
    EXPECT_EQ(fs::hard_link_count(folder_ / "run/data/train.tokens"), 2u);
    dataset.link_into(folder_ / "run" / "data");  // again changes nothing
  }
  fs::remove_all(folder_ / "cache");
  const Dataset linked = Dataset::open(folder_ / "run" / "data", /*verify=*/true);
  EXPECT_EQ(linked.tokenizer().decode(ids_of(linked.train())), "abcabcabc\n");
  EXPECT_EQ(linked.tokenizer().decode(ids_of(linked.val())), "cab");
  EXPECT_EQ(linked.tokenizer().bytes_of(linked.empty_prompt_id()), "\n");
}

TEST_F(DatasetTest, IsCopiedWhereNoLinkCanBe) {
  const Dataset dataset = prepare_hundred();
  if (!fs::exists("/dev/shm")) GTEST_SKIP() << "needs another file system at /dev/shm";
  const TemporaryPath elsewhere("/dev/shm/tinylm-dataset-test");
  dataset.link_into(elsewhere.path());
  const TokenFile copy(elsewhere.path() / "train.tokens");
  if (fs::equivalent(copy.path(), dataset.folder() / "train.tokens"))
    GTEST_SKIP() << "/dev/shm is the same file system";
  EXPECT_EQ(Dataset::open(elsewhere.path(), true).train().count, 90);
}

TEST_F(DatasetTest, LinkingNamesAFolderThatCannotBeMade) {
  const Dataset dataset = prepare_hundred();
  expect_mentions(message_of<FileError>([&] { dataset.link_into(folder_ / "hundred.txt" / "data"); }),
                  {"hundred.txt/data", "cannot be made"});
}

TEST_F(DatasetTest, OpenNamesAMissingFolder) {
  expect_mentions(opening_message(folder_ / "none"), {"none/dataset.json"});
}

TEST_F(DatasetTest, OpenRefusesAnotherTokenizer) {
  const fs::path one = prepare_hundred().folder();
  const fs::path two = prepare(options_for(write("b.txt", "other letters"))).folder();
  fs::copy_file(two / "tokenizer-char.json", one / "tokenizer-char.json", fs::copy_options::overwrite_existing);
  expect_mentions(opening_message(one), {"not the one the text was encoded with", "fingerprint", "expected"});
}

TEST_F(DatasetTest, OpenRefusesTokensOfAnotherTokenizer) {
  const fs::path one = prepare_hundred().folder();
  const fs::path two = prepare(options_for(write("b.txt", "other letters"))).folder();
  fs::copy_file(two / "train.tokens", one / "train.tokens", fs::copy_options::overwrite_existing);
  expect_mentions(opening_message(one), {"train.tokens: made with another tokenizer", "fingerprint", "expected"});
}

TEST_F(DatasetTest, OpenRefusesAVocabularyThatIsNotTheTokenizers) {
  const Dataset dataset = prepare_hundred();
  TokenFileWriter writer(dataset.folder() / "train.tokens", 200, dataset.tokenizer().fingerprint());
  writer.finish();
  expect_mentions(opening_message(dataset.folder()), {"a vocabulary of 200", "the tokenizer has 4"});
}

TEST_F(DatasetTest, OpenRefusesASplitBeyondTheTokens) {
  const fs::path folder = prepare_hundred().folder();
  DatasetManifest manifest = DatasetManifest::read(folder);
  manifest.val_tokens = 11;
  manifest.write(folder);
  expect_mentions(opening_message(folder), {"damaged dataset: 100 tokens", "expects 11 from token 90"});
}

TEST_F(DatasetTest, OpenRefusesAnEmptyPromptOutsideTheVocabulary) {
  const fs::path folder = prepare_hundred().folder();
  DatasetManifest manifest = DatasetManifest::read(folder);
  manifest.empty_prompt_id = 4;
  manifest.write(folder);
  expect_mentions(opening_message(folder), {"empty_prompt_id 4", "vocabulary of 4"});
}

TEST_F(DatasetTest, ManifestRefusesAnotherVersionAndMissingKeys) {
  write("dataset.json", R"({"version": 2})");
  expect_mentions(message_of<FileError>([&] { DatasetManifest::read(folder_); }), {"format version 2", "reads 1"});
  write("dataset.json", R"({"version": 1, "tokenizer_fingerprint": "zz"})");
  expect_mentions(message_of<FileError>([&] { DatasetManifest::read(folder_); }), {"dataset.json: damaged"});
  write("dataset.json", R"({"version": 1})");
  expect_mentions(message_of<FileError>([&] { DatasetManifest::read(folder_); }),
                  {"dataset.json: damaged", "tokenizer_fingerprint"});
}

TEST_F(DatasetTest, ManifestTellsWhereTheTextCameFrom) {
  const std::string recipe = DatasetManifest::read(prepare_hundred().folder()).recipe;
  expect_mentions(recipe, {"hundred.txt", "\"size_bytes\":100", "\"documents\":\"none\"", "\"tokenizer\":\"char\""});
}

TEST_F(DatasetTest, SaysHowMuchDiskIsNeededAndFree) {
  expect_mentions(message_of<FileError>([&] { require_free_disk(folder_, std::uint64_t{1} << 62); }),
                  {folder_.string(), "free", "4.6 EB"});
  require_free_disk(folder_, 1);
}

}  // namespace
}  // namespace tinylm
