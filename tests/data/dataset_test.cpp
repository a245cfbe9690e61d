#include "data/dataset.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "core/checksum.h"
#include "core/errors.h"
#include "core/files.h"
#include "data/dataset_manifest.h"
#include "data/temporary.h"
#include "dataset_test_support.h"

namespace tinylm {
namespace {

namespace fs = std::filesystem;

std::string opening_dataset_message(const fs::path& folder) {
  return message_of<FileError>([&] { Dataset::open(folder, true); });
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
  struct stat here {
  }, there{};
  ASSERT_EQ(::stat(folder_.c_str(), &here), 0);
  if (::stat("/dev/shm", &there) != 0) GTEST_SKIP() << "needs another file system at /dev/shm, and there is none";
  if (here.st_dev == there.st_dev) GTEST_SKIP() << "needs another file system, and /dev/shm is that of " << folder_;
  const TemporaryPath elsewhere("/dev/shm/tinylm-dataset-test");
  dataset.link_into(elsewhere.path());
  const TokenFile copy(elsewhere.path() / "train.tokens");
  EXPECT_FALSE(fs::equivalent(copy.path(), dataset.folder() / "train.tokens")) << "a link, and not a copy";
  EXPECT_EQ(Dataset::open(elsewhere.path(), true).train().count, 90);
}

TEST_F(DatasetTest, LinkingNamesAFolderThatCannotBeMade) {
  const Dataset dataset = prepare_hundred();
  expect_mentions(message_of<FileError>([&] { dataset.link_into(folder_ / "hundred.txt" / "data"); }),
                  {"hundred.txt/data", "cannot be made"});
}

TEST_F(DatasetTest, OpenNamesAMissingFolder) {
  expect_mentions(opening_dataset_message(folder_ / "none"), {"none/dataset.json"});
}

TEST_F(DatasetTest, OpenRefusesAnotherTokenizer) {
  const fs::path one = prepare_hundred().folder();
  const fs::path two = prepare(options_for(write("b.txt", "other letters"))).folder();
  fs::copy_file(two / "tokenizer-char.json", one / "tokenizer-char.json", fs::copy_options::overwrite_existing);
  expect_mentions(opening_dataset_message(one), {"not the one the text was encoded with", "fingerprint", "expected"});
}

TEST_F(DatasetTest, OpenRefusesTokensOfAnotherTokenizer) {
  const fs::path one = prepare_hundred().folder();
  const fs::path two = prepare(options_for(write("b.txt", "other letters"))).folder();
  fs::copy_file(two / "train.tokens", one / "train.tokens", fs::copy_options::overwrite_existing);
  expect_mentions(opening_dataset_message(one),
                  {"train.tokens: made with another tokenizer", "fingerprint", "expected"});
}

TEST_F(DatasetTest, OpenRefusesAVocabularyThatIsNotTheTokenizers) {
  const Dataset dataset = prepare_hundred();
  TokenFileWriter writer(dataset.folder() / "train.tokens", 200, dataset.tokenizer().fingerprint());
  writer.finish();
  expect_mentions(opening_dataset_message(dataset.folder()), {"a vocabulary of 200", "the tokenizer has 4"});
}

TEST_F(DatasetTest, OpenRefusesASplitBeyondTheTokens) {
  const fs::path folder = prepare_hundred().folder();
  DatasetManifest manifest = DatasetManifest::read(folder);
  manifest.val_tokens = 11;
  manifest.write(folder);
  expect_mentions(opening_dataset_message(folder), {"damaged dataset: 100 tokens", "expects 11 from token 90"});
}

TEST_F(DatasetTest, OpenRefusesAnEmptyPromptOutsideTheVocabulary) {
  const fs::path folder = prepare_hundred().folder();
  DatasetManifest manifest = DatasetManifest::read(folder);
  manifest.empty_prompt_id = 4;
  manifest.write(folder);
  expect_mentions(opening_dataset_message(folder), {"empty_prompt_id 4", "vocabulary of 4"});
}

TEST_F(DatasetTest, ManifestRefusesAnotherVersionAndMissingKeys) {
  write("dataset.json", R"({"version": 3})");
  expect_mentions(message_of<FileError>([&] { DatasetManifest::read(folder_); }), {"format version 3", "reads 2"});
  write("dataset.json", R"({"version": 2, "checksum": "zz"})");
  expect_mentions(message_of<FileError>([&] { DatasetManifest::read(folder_); }), {"dataset.json: damaged"});
  write("dataset.json", R"({"version": 2})");
  expect_mentions(message_of<FileError>([&] { DatasetManifest::read(folder_); }),
                  {"dataset.json: damaged", "checksum"});
}

TEST_F(DatasetTest, ManifestRefusesWhatWasEditedByHand) {
  const fs::path folder = prepare_hundred().folder();
  std::string text = read_file(folder / "dataset.json");
  text.replace(text.find("\"train_tokens\": 9"), 17, "\"train_tokens\": 8");
  write_atomically(folder / "dataset.json", text);
  expect_mentions(opening_dataset_message(folder), {"dataset.json: damaged", "does not match its checksum"});
}

TEST_F(DatasetTest, ManifestHasTheChecksumOfTheText) {
  const DatasetManifest manifest = DatasetManifest::read(prepare_hundred().folder());
  EXPECT_EQ(manifest.text_checksum, to_hex(checksum_of(std::string(50, 'a') + std::string(50, 'b'))));
}

TEST_F(DatasetTest, ManifestMayBeOlderThanTheChecksumOfTheText) {
  DatasetManifest manifest;
  manifest.write(folder_);
  EXPECT_EQ(DatasetManifest::read(folder_).text_checksum, "");
}

TEST_F(DatasetTest, ManifestTellsWhereTheTextCameFrom) {
  const std::string recipe = DatasetManifest::read(prepare_hundred().folder()).recipe;
  expect_mentions(recipe, {"hundred.txt", "\"size_bytes\":100", "\"documents\":\"none\"", "\"tokenizer\":\"char\""});
}

}  // namespace
}  // namespace tinylm
