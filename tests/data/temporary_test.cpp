#include "data/temporary.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>

#include "core/errors.h"
#include "core/files.h"
#include "data_test_support.h"

namespace tinylm {
namespace {

namespace fs = std::filesystem;
using TemporaryTest = FolderTest;

TEST_F(TemporaryTest, PathsDifferAndVanishWithWhatStandsThere) {
  {
    const TemporaryPath one(folder_ / "a"), two(folder_ / "a");
    EXPECT_NE(one.path(), two.path());
    fs::create_directories(one.path() / "b");
    EXPECT_FALSE(fs::is_empty(folder_));
  }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(TemporaryTest, PathNamesAFolderThatCannotBeMade) {
  const fs::path file = write("a", "a file, no folder");
  expect_mentions(message_of<FileError>([&] { TemporaryPath(file / "b" / "c"); }), {"/a/b", "cannot be made"});
}

TEST_F(TemporaryTest, FileIsPublishedWholeOverAnOlderOne) {
  write("a", "old");
  TemporaryFile file(folder_ / "a");
  file.write("0000");
  file.write("56");
  file.overwrite_start("1234");
  EXPECT_EQ(read_file(folder_ / "a"), "old");
  file.publish(folder_ / "a");
  EXPECT_EQ(read_file(folder_ / "a"), "123456");
}

TEST_F(TemporaryTest, FileCannotBePublishedOverAFolder) {
  fs::create_directories(folder_ / "a" / "b");
  TemporaryFile file(folder_ / "a");
  expect_mentions(message_of<FileError>([&] { file.publish(folder_ / "a"); }), {"/a: cannot be put in place"});
}

TEST_F(TemporaryTest, FileSaysWhyItCannotBeWritten) {
  TemporaryFile file(folder_ / "a");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);  // the limit stands for a full disk: write() fails
  const rlimit small{1000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string message = message_of<FileError>([&] { file.write(std::string(1 << 20, 'x')); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_DFL);
  expect_mentions(message, {"/a.tmp-", "cannot be written", "File too large"});
}

TEST_F(TemporaryTest, FileSaysWhyItCannotBeMade) {
  expect_mentions(message_of<FileError>([&] { TemporaryFile(fs::path("/proc") / "a"); }),
                  {"/proc/a.tmp-", "cannot be made"});
}

TEST_F(TemporaryTest, WhatKilledProcessesLeftIsRemovedAfterADay) {
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(25);
  const fs::path left = write("key.tmp-0123456789abcdef/train.tokens", "x"),
                 file = write("stdin.tmp-1123456789abcdef", "x");
  const fs::path in_use = write("key.tmp-2123456789abcdef/train.tokens", "x"), kept = write("key/train.tokens", "x");
  fs::last_write_time(left, old);
  for (const fs::path& path : {left.parent_path(), file, in_use.parent_path(), kept.parent_path()}) {
    fs::last_write_time(path, old);
  }
  fs::last_write_time(kept, old);
  remove_abandoned_temporaries(folder_);
  EXPECT_FALSE(fs::exists(left.parent_path()));
  EXPECT_FALSE(fs::exists(file));
  EXPECT_TRUE(fs::exists(in_use)) << "its file was just written";
  EXPECT_TRUE(fs::exists(kept));
}

TEST_F(TemporaryTest, WhatOnlyLooksLikeSomethingLeftIsKept) {
  for (const std::string name : {"notes.tmp-old", "letter.tmp-0123456789abcdeX", "tmp-0123456789abcdef"}) {
    const fs::path file = write(name, "precious");
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(25));
    remove_abandoned_temporaries(folder_);
    EXPECT_TRUE(fs::exists(file)) << name;
  }
}

}  // namespace
}  // namespace tinylm
