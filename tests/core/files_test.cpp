#include "core/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <limits>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "test_support.h"

namespace tinylm {
namespace {

namespace fs = std::filesystem;
using test::fresh_folder;
using test::message_of;

int entries(const fs::path& folder) {
  return static_cast<int>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

int mode_of(const fs::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 0777;
}

TEST(WriteAtomically, CreatesFoldersAndLeavesNothingElse) {
  const fs::path file = fresh_folder() / "a" / "b" / "text";
  write_atomically(file, "one");
  write_atomically(file, std::string("two\0bytes", 9));
  EXPECT_EQ(read_file(file), std::string("two\0bytes", 9));
  EXPECT_EQ(entries(file.parent_path()), 1);
}

TEST(WriteAtomically, ReplacesTheFileBehindALinkAndKeepsTheLink) {
  const fs::path folder = fresh_folder();
  fs::create_directory(folder / "elsewhere");
  fs::create_symlink("elsewhere/first", folder / "link");
  write_atomically(folder / "link", "new");  // leads to nothing yet
  EXPECT_EQ(read_file(folder / "elsewhere/first"), "new");
  fs::create_symlink(fs::absolute(folder / "link"), folder / "link to it");
  write_atomically(folder / "link to it", "newer");
  EXPECT_EQ(read_file(folder / "elsewhere/first"), "newer");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_TRUE(fs::is_symlink(folder / "link to it"));
  EXPECT_EQ(entries(folder / "elsewhere"), 1);
}

TEST(WriteAtomically, RefusesLinksThatLeadToEachOther) {
  const fs::path folder = fresh_folder();
  fs::create_symlink("there", folder / "here");
  fs::create_symlink("here", folder / "there");
  EXPECT_NE(message_of<FileError>([&] { write_atomically(folder / "here", "x"); }).find("cannot write '"),
            std::string::npos);
  EXPECT_EQ(entries(folder), 2);
}

TEST(WriteAtomically, WritesIntoWhatIsNoFile) {
  const fs::path pipe = fresh_folder() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = read_file(pipe); });
  write_atomically(pipe, "through");
  reader.join();
  EXPECT_EQ(read, "through");
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_NE(message_of<FileError>([] { write_atomically("/dev/full", "x"); }).find("cannot write '/dev/full'"),
            std::string::npos);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST(WriteAtomically, WorksInTheCurrentFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(fresh_folder());
  write_atomically("bare", "x");
  EXPECT_EQ(read_file("bare"), "x");
  fs::current_path(before);
}

TEST(WriteAtomically, GivesOrdinaryPermissions) {
  const fs::path folder = fresh_folder();
  const mode_t before = ::umask(022);
  write_atomically(folder / "shared", "x");
  ::umask(077);
  write_atomically(folder / "private", "x");
  ::umask(before);
  EXPECT_EQ(mode_of(folder / "shared"), 0644);
  EXPECT_EQ(mode_of(folder / "private"), 0600);
}

TEST(WriteAtomically, PassesOverWhatAKilledWriterLeft) {
  const fs::path folder = fresh_folder();
  std::ofstream(folder / ("text.tmp-" + std::to_string(::gettid()) + "-0")) << "half";
  write_atomically(folder / "text", "whole");
  EXPECT_EQ(read_file(folder / "text"), "whole");
}

TEST(WriteAtomically, ReportsATargetThatIsAFolderAndKeepsIt) {
  const fs::path folder = fresh_folder();
  fs::create_directories(folder / "target" / "inside");
  const std::string message = message_of<FileError>([&] { write_atomically(folder / "target", "x"); });
  EXPECT_EQ(message, "cannot write '" + (folder / "target").string() + "': Is a directory");
  EXPECT_TRUE(fs::exists(folder / "target" / "inside"));
  EXPECT_EQ(entries(folder), 1);
}

TEST(WriteAtomically, ReportsAParentThatIsAFile) {
  const fs::path folder = fresh_folder();
  write_atomically(folder / "file", "x");
  const std::string message = message_of<FileError>([&] { write_atomically(folder / "file" / "text", "x"); });
  EXPECT_EQ(message, "cannot create the folder '" + (folder / "file").string() + "': Not a directory");
}

// A limit on the size of files stands in for a full disk: the write stops in the middle with an error.
TEST(WriteAtomically, KeepsTheOldContentWhenAWriteFailsHalfway) {
  const fs::path file = fresh_folder() / "text";
  write_atomically(file, "old");
  struct rlimit before {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const struct rlimit small { 1000, before.rlim_max };
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  const std::string message = message_of<FileError>([&] { write_atomically(file, std::string(5000, 'x')); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(message, "cannot write '" + file.string() + "': File too large");
  EXPECT_EQ(read_file(file), "old");
  EXPECT_EQ(entries(file.parent_path()), 1);
}

TEST(ReadFile, ReportsWhatIsMissingOrAFolder) {
  const fs::path folder = fresh_folder();
  EXPECT_EQ(message_of<FileError>([&] { read_file(folder / "none"); }),
            "cannot read '" + (folder / "none").string() + "': No such file or directory; check the path");
  EXPECT_EQ(message_of<FileError>([&] { read_file(folder); }), "cannot read '" + folder.string() + "': Is a directory");
}

TEST(Sync, ReportsWhatIsMissing) {
  const fs::path folder = fresh_folder();
  EXPECT_NO_THROW(sync_folder(folder));
  EXPECT_EQ(message_of<FileError>([&] { sync_folder(folder / "none"); }),
            "cannot sync the folder '" + (folder / "none").string() + "': No such file or directory; check the path");
  EXPECT_EQ(message_of<FileError>([&] { sync_file(folder / "none"); }),
            "cannot sync '" + (folder / "none").string() + "': No such file or directory; check the path");
  write_atomically(folder / "file", "x");
  EXPECT_NO_THROW(sync_file(folder / "file"));
}

TEST(ReplaceLink, MovesALinkAndKeepsRelativeTargets) {
  const fs::path folder = fresh_folder();
  write_atomically(folder / "step-1" / "state", "1");
  write_atomically(folder / "step-2" / "state", "2");
  replace_link(folder / "last", "step-1");
  replace_link(folder / "last", "step-2");
  EXPECT_EQ(fs::read_symlink(folder / "last"), "step-2");
  EXPECT_EQ(read_file(folder / "last" / "state"), "2");
  EXPECT_EQ(entries(folder), 3);
}

TEST(ReplaceLink, RefusesToReplaceAFolder) {
  const fs::path folder = fresh_folder();
  fs::create_directory(folder / "last");
  const std::string message = message_of<FileError>([&] { replace_link(folder / "last", "step-1"); });
  EXPECT_EQ(message, "cannot link '" + (folder / "last").string() + "': Is a directory");
  EXPECT_EQ(entries(folder), 1);
}

TEST(FreeDiskBytes, AsksTheNearestExistingFolder) {
  const fs::path folder = fresh_folder();
  EXPECT_GT(free_disk_bytes(folder), 0u);
  EXPECT_GT(free_disk_bytes(folder / "not" / "yet" / "there"), 0u);
}

TEST(MappedFile, ShowsTheBytesOfAFile) {
  const fs::path file = fresh_folder() / "text";
  write_atomically(file, "hello");
  const MappedFile mapped(file);
  EXPECT_EQ(mapped.text(), "hello");
  EXPECT_EQ(mapped.bytes().size(), 5u);
  EXPECT_EQ(mapped.path(), file);
}

TEST(MappedFile, KeepsItsContentWhenPagesAreReleased) {
  const fs::path file = fresh_folder() / "text";
  write_atomically(file, std::string(100000, 'a') + "b");
  const MappedFile mapped(file);
  EXPECT_EQ(mapped.text().back(), 'b');
  mapped.release_pages();
  EXPECT_EQ(mapped.text().front(), 'a');
  EXPECT_EQ(mapped.text().back(), 'b');
}

TEST(MappedFile, TakesAnEmptyFile) {
  const fs::path file = fresh_folder() / "empty";
  write_atomically(file, "");
  const MappedFile mapped(file);
  EXPECT_TRUE(mapped.bytes().empty());
  mapped.release_pages();
}

/// Whether the system holds each page of a mapped file in memory, so that reading it does not wait for the disk.
std::vector<unsigned char> pages_in_memory(const MappedFile& file) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> held((file.bytes().size() + page - 1) / page);
  if (::mincore(const_cast<std::byte*>(file.bytes().data()), file.bytes().size(), held.data()) != 0) held.clear();
  for (unsigned char& flags : held) flags &= 1U;
  return held;
}

void forget_pages(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  ::fsync(descriptor);
  ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
  ::close(descriptor);
}

TEST(MappedFile, HasWhatWillBeNeededReadFromTheDisk) {
  const fs::path file = fresh_folder() / "text";
  write_atomically(file, std::string(std::size_t{4} << 20, 'a'));
  forget_pages(file);
  const MappedFile mapped(file);
  const std::vector<unsigned char> before = pages_in_memory(mapped);
  if (std::accumulate(before.begin(), before.end(), 0) != 0) GTEST_SKIP() << "this file system keeps files in memory";
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  mapped.will_need(300 * page + 7, page);  // touches the pages 300 and 301
  std::vector<unsigned char> after;
  for (int wait = 0; wait < 500; ++wait) {
    after = pages_in_memory(mapped);
    if (after[300] != 0 && after[301] != 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(after[300], 1);
  EXPECT_EQ(after[301], 1);
  EXPECT_EQ(after[900], 0);
}

TEST(MappedFile, WillNeedTakesAnyRange) {
  const fs::path file = fresh_folder() / "text";
  write_atomically(file, "hello");
  const MappedFile mapped(file);
  mapped.will_need(0, 5);
  mapped.will_need(4, std::numeric_limits<std::size_t>::max());
  mapped.will_need(5, 1);
  MappedFile().will_need(0, 1);
  EXPECT_EQ(mapped.text(), "hello");
}

TEST(MappedFile, Moves) {
  const fs::path folder = fresh_folder();
  write_atomically(folder / "a", "first");
  write_atomically(folder / "b", "second");
  MappedFile a(folder / "a");
  MappedFile b(std::move(a));
  EXPECT_EQ(b.text(), "first");
  MappedFile c(folder / "b");
  c = std::move(b);
  EXPECT_EQ(c.text(), "first");
  EXPECT_EQ(c.path(), folder / "a");
}

TEST(MappedFile, RefusesFoldersDevicesAndWhatIsMissing) {
  const fs::path folder = fresh_folder();
  EXPECT_EQ(message_of<FileError>([&] { MappedFile{folder}; }),
            "cannot read '" + folder.string() + "': Is a directory");
  EXPECT_EQ(message_of<FileError>([&] { MappedFile{folder / "none"}; }),
            "cannot read '" + (folder / "none").string() + "': No such file or directory; check the path");
  EXPECT_EQ(message_of<FileError>([&] { MappedFile{"/dev/null"}; }), "cannot map '/dev/null': it is no regular file");
}

}  // namespace
}  // namespace tinylm
