#include "data/text_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>

#include "core/errors.h"
#include "core/option_table.h"
#include "data_test_support.h"

namespace tinylm {
namespace {

namespace fs = std::filesystem;
using TextSourceTest = FolderTest;
using Files = std::vector<fs::path>;

std::string problems_of(const TextOptions& options) {
  Problems problems;
  options.validate(problems);
  return message_of<WrongUse>([&] { problems.throw_if_any(); });
}

TEST_F(TextSourceTest, OpensFoldersInNameOrderWithoutHiddenAndSpecialEntries) {
  const Files expected{write("t/a.txt", "1"), write("t/b/x.txt", "2"), write("t/b/y/z.txt", "3"),
                       write("t/c.txt", "4")};
  write("t/.hidden", "no");
  write("t/.git/config", "no");
  fs::create_symlink("nowhere", folder_ / "t/dangling");
  LogCapture log;
  EXPECT_EQ(list_text_files({(folder_ / "t").string()}, folder_), expected);
  expect_mentions(log.text(), {"3 hidden or special entries"});
}

TEST_F(TextSourceTest, KeepsTheOrderOfArgumentsAndMakesThemAbsolute) {
  const auto a = write("a.txt", "1"), b = write("b.txt", "2");
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  const Files files = list_text_files({"b.txt", "./a.txt"}, folder_);
  fs::current_path(before);
  EXPECT_EQ(files, (Files{b, a}));
}

TEST_F(TextSourceTest, TakesTheBundledTextWithoutArguments) {
  const Files files = list_text_files({}, folder_);
  ASSERT_GE(files.size(), 3u);
  for (const auto& file : files) EXPECT_EQ(file.parent_path().filename(), "corpus");
}

TEST_F(TextSourceTest, NamesWhatDoesNotExist) {
  expect_mentions(message_of<FileError>([&] { list_text_files({(folder_ / "none.txt").string()}, folder_); }),
                  {"none.txt", "no such file or folder", "- for standard input"});
}

TEST_F(TextSourceTest, RefusesWhatIsNeitherFileFolderNorPipe) {
  expect_mentions(message_of<FileError>([&] { list_text_files({"/dev/null"}, folder_); }), {"/dev/null", "neither"});
}

/// Root may read everything: while one of these lives, root acts as a user without rights of its own.
class WithoutRootsRights {
 public:
  WithoutRootsRights() { changed_ = geteuid() == 0 && seteuid(kNobody) == 0; }
  ~WithoutRootsRights() { EXPECT_TRUE(!changed_ || seteuid(0) == 0); }

 private:
  static constexpr uid_t kNobody = 65534;
  bool changed_;
};

TEST_F(TextSourceTest, RefusesAFileItMayNotRead) {
  const auto file = write("a.txt", "text");
  fs::permissions(file, fs::perms::none);
  fs::permissions(folder_, fs::perms::all);  // so that it is the file that cannot be read, not its folder
  const WithoutRootsRights user;
  ASSERT_NE(geteuid(), 0u);
  expect_mentions(message_of<FileError>([&] { list_text_files({file.string()}, folder_); }),
                  {"a.txt", "cannot be opened for reading", "permissions"});
}

TEST_F(TextSourceTest, RefusesAFolderWithoutFiles) {
  write("t/.hidden", "no");
  expect_mentions(message_of<BadInput>([&] { list_text_files({(folder_ / "t").string()}, folder_); }),
                  {"no text files", "1 hidden"});
}

TEST_F(TextSourceTest, RefusesFilesWithoutText) {
  const std::string a = write("a.txt", "").string(), b = write("b.txt", "").string();
  expect_mentions(message_of<BadInput>([&] { list_text_files({a}, folder_); }), {"a.txt", "there is no text"});
  expect_mentions(message_of<BadInput>([&] { list_text_files({a, b}, folder_); }), {"a.txt", "nor in the other files"});
}

TEST_F(TextSourceTest, SpoolsAStreamUnderItsChecksum) {
  const std::string text(600000, 'x');
  std::istringstream first(text), second(text), other("other");
  const fs::path file = spool_stream(first, folder_ / "cache");
  EXPECT_EQ(fs::file_size(file), text.size());
  const auto time = fs::last_write_time(file);
  EXPECT_EQ(spool_stream(second, folder_ / "cache"), file);
  EXPECT_EQ(fs::last_write_time(file), time);
  EXPECT_NE(spool_stream(other, folder_ / "cache"), file);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "cache"), {}), 2) << "temporary files were left";
}

TEST_F(TextSourceTest, RefusesAnEmptyStream) {
  std::istringstream nothing("");
  expect_mentions(message_of<BadInput>([&] { spool_stream(nothing, folder_); }),
                  {"standard input, or the pipe, gave no text"});
}

TEST_F(TextSourceTest, ReadsStandardInputThroughAPipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "piped text\n", 11), 11);
  close(ends[1]);
  const int before = dup(0);
  dup2(ends[0], 0);
  close(ends[0]);
  const Files files = list_text_files({"-"}, folder_);
  dup2(before, 0);
  close(before);
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(text_of(files, {}, false, 4), "piped text\n");
}

TEST_F(TextSourceTest, ReadsAPipeGivenByName) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "piped", 5), 5);
  close(ends[1]);
  const Files files = list_text_files({"/dev/fd/" + std::to_string(ends[0])}, folder_);
  close(ends[0]);
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(text_of(files, {}, false, 4), "piped");
}

TEST_F(TextSourceTest, OptionsReadBackFromTheirFile) {
  TextOptions options;
  options.text = {"/a.txt", "/b"};
  options.documents = Documents::kBlankLine;
  options.val_fraction = 0.25;
  options.val = "/val.txt";
  options.keep_crlf = true;
  options.bad_utf8 = "replace";
  OptionTable table;
  options.describe(table);
  TextOptions again;
  OptionTable other;
  again.describe(other);
  other.read_toml_text(table.to_toml(), "test");
  EXPECT_EQ(again.text, options.text);
  EXPECT_EQ(again.documents, options.documents);
  EXPECT_EQ(again.val_fraction, options.val_fraction);
  EXPECT_EQ(again.val, options.val);
  EXPECT_EQ(again.keep_crlf, options.keep_crlf);
  EXPECT_EQ(again.bad_utf8, options.bad_utf8);
}

TEST_F(TextSourceTest, DefaultsAreValid) {
  Problems problems;
  TextOptions().validate(problems);
  EXPECT_TRUE(problems.messages().empty());
}

TEST_F(TextSourceTest, ValidatesEveryOption) {
  TextOptions options;
  options.val_fraction = 1;
  expect_mentions(problems_of(options), {"val_fraction is 1.0", "at least 0 and below 1"});
  options.val_fraction = -0.5;
  options.bad_utf8 = "ignore";
  options.text = {"", "-"};
  options.val = "-";
  expect_mentions(problems_of(options), {"val_fraction is -0.5", "bad_utf8 is \"ignore\"", "empty name",
                                         "standard input (-) is named 2 times"});
}

}  // namespace
}  // namespace tinylm
