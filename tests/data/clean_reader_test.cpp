#include "data/clean_reader.h"

#include <gtest/gtest.h>

#include "core/errors.h"
#include "data_test_support.h"

namespace tinylm {
namespace {

using CleanReaderTest = FolderTest;
using Files = std::vector<std::filesystem::path>;

/// The clean text of one file, with the message of what went wrong instead when something did.
std::string clean(const std::filesystem::path& file, const TextOptions& options, bool any_bytes,
                  std::size_t chunk_bytes) {
  CleanReader reader({file}, options, any_bytes, chunk_bytes);
  std::string all, part;
  bool file_ends = false;
  while (reader.next(part, file_ends)) all += part;
  EXPECT_TRUE(file_ends);
  EXPECT_EQ(reader.bytes_read(), reader.total_bytes());
  return all;
}

TEST_F(CleanReaderTest, GivesTheBytesOfUtf8WhateverTheChunks) {
  const std::string text = "a\u00e9\u20ac\U0001f98a line\nand \u00df, no end";
  const auto file = write("a.txt", text);
  for (const std::size_t chunk : kChunkSizes) EXPECT_EQ(clean(file, {}, false, chunk), text) << chunk;
}

TEST_F(CleanReaderTest, NeverEndsAPartWithinACodePoint) {
  const auto file = write("a.txt", "\u20ac\u20ac\U0001f98a");
  CleanReader reader({file}, {}, false, 2);
  std::string part;
  for (bool file_ends = false; reader.next(part, file_ends);) {
    EXPECT_TRUE(part.size() % 3 == 0 || part == "\U0001f98a") << part;
  }
}

TEST_F(CleanReaderTest, MakesCrLfLfAcrossChunksAndLeavesLoneCr) {
  const auto file = write("a.txt", "a\r\nb\r\n\r\nc\rd\r\r\ne\r");
  for (const std::size_t chunk : kChunkSizes) EXPECT_EQ(clean(file, {}, false, chunk), "a\nb\n\nc\rd\r\ne\r") << chunk;
}

TEST_F(CleanReaderTest, KeepsCrLfWhenAsked) {
  TextOptions options;
  options.keep_crlf = true;
  const auto file = write("a.txt", "a\r\nb\r\n");
  LogCapture log;
  for (const std::size_t chunk : kChunkSizes) EXPECT_EQ(clean(file, options, false, chunk), "a\r\nb\r\n") << chunk;
  EXPECT_EQ(log.text(), "");
}

TEST_F(CleanReaderTest, CountsLineEndsInOneNoticeOverAllFilesAndPasses) {
  const Files files{write("a.txt", "a\r\nb\r\n"), write("b.txt", "c\r\n")};
  LogCapture log;
  CleanReader reader(files, {}, false, 2);
  std::string part;
  bool file_ends = false;
  while (reader.next(part, file_ends)) {
  }
  expect_mentions(log.text(), {"3 Windows line ends (CR LF)", "--keep-crlf"});
  const std::string once = log.text();
  reader.rewind();
  while (reader.next(part, file_ends)) {
  }
  EXPECT_EQ(log.text(), once);
}

TEST_F(CleanReaderTest, LeavesOutAByteOrderMarkAtTheBeginningOnly) {
  const auto file = write("a.txt", "\uFEFFa\uFEFFb");
  LogCapture log;
  for (const std::size_t chunk : kChunkSizes) EXPECT_EQ(clean(file, {}, false, chunk), "a\uFEFFb") << chunk;
  expect_mentions(log.text(), {"1 byte-order mark"});
}

TEST_F(CleanReaderTest, GivesTheEmptyTextOfAFileThatIsAByteOrderMark) {
  for (const std::size_t chunk : kChunkSizes) EXPECT_EQ(clean(write("a.txt", "\uFEFF"), {}, false, chunk), "");
}

TEST_F(CleanReaderTest, NamesFileAndOffsetOfTheFirstBadByte) {
  // The mark and the CR LF count: offsets are those of the file. 3 + "ab\r\n" = 7, then \u20ac to 10.
  const auto file = write("bad.txt", "\uFEFFab\r\n\u20ac\xFFzz\xFE");
  for (const std::size_t chunk : kChunkSizes) {
    const std::string message = message_of<BadInput>([&] { clean(file, {}, false, chunk); });
    expect_mentions(message, {"bad.txt", "at byte 10:", "0xFF", "--bad-utf8 replace", "--tokenizer byte"});
    EXPECT_EQ(message.find("UTF-16"), std::string::npos);
  }
}

TEST_F(CleanReaderTest, CountsOffsetsWithinEachFile) {
  const Files files{write("a.txt", "fine\n"), write("b.txt", "x\xC3(")};
  CleanReader reader(files, {}, false, 4);
  std::string part;
  bool file_ends = false;
  const std::string message = message_of<BadInput>([&] {
    while (reader.next(part, file_ends)) {
    }
  });
  expect_mentions(message, {"b.txt", "at byte 1:", "0xC3"});
}

TEST_F(CleanReaderTest, RefusesACharacterCutOffByTheFilesEnd) {
  const auto file = write("a.txt", "ab\xE2\x82");
  for (const std::size_t chunk : kChunkSizes) {
    expect_mentions(message_of<BadInput>([&] { clean(file, {}, false, chunk); }), {"at byte 2:", "0xE2"});
  }
}

TEST_F(CleanReaderTest, ReplacesBadBytesWhenAskedAndSaysHowMany) {
  TextOptions options;
  options.bad_utf8 = "replace";
  const auto file = write("a.txt", "a\xFF\xFE\u20ac\xE2\x82");
  for (const std::size_t chunk : kChunkSizes) {
    LogCapture log;
    EXPECT_EQ(clean(file, options, false, chunk), "a\uFFFD\uFFFD\u20ac\uFFFD\uFFFD") << chunk;
    expect_mentions(log.text(), {"replaced 4 byte(s)", "a.txt at byte 1"});
  }
}

TEST_F(CleanReaderTest, LetsAnyBytesPassForTheByteTokenizer) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  const auto file = write("a.bin", bytes);
  for (const std::size_t chunk : kChunkSizes) EXPECT_EQ(clean(file, {}, true, chunk), bytes) << chunk;
}

TEST_F(CleanReaderTest, GuessesUtf16FromItsMark) {
  const auto file = write("a.txt", std::string("\xFF\xFEh\0i\0", 6));
  expect_mentions(message_of<BadInput>([&] { clean(file, {}, false, 1 << 18); }),
                  {"at byte 0:", "mark of UTF-16", "iconv -f UTF-16 -t UTF-8"});
}

TEST_F(CleanReaderTest, GuessesUtf16FromNulBytes) {
  const auto file = write("a.txt", std::string("h\0\xE4\0", 4));
  for (const std::size_t chunk : kChunkSizes) {
    expect_mentions(message_of<BadInput>([&] { clean(file, {}, false, chunk); }),
                    {"at byte 2:", "NUL bytes", "UTF-16"});
  }
}

TEST_F(CleanReaderTest, WarnsOfNulBytesInValidText) {
  const auto file = write("a.txt", std::string("ab\0c\0", 5));
  LogCapture log;
  EXPECT_EQ(clean(file, {}, false, 2), std::string("ab\0c\0", 5));
  expect_mentions(log.text(), {"2 NUL byte(s)", "a.txt at byte 2"});
}

TEST_F(CleanReaderTest, NamesAFileThatIsNotThere) {
  expect_mentions(message_of<FileError>([&] { CleanReader({folder_ / "none.txt"}, {}, false, 4); }),
                  {"none.txt", "cannot be read"});
}

TEST_F(CleanReaderTest, NamesAFileThatWentAwayBeforeItWasOpened) {
  const auto file = write("a.txt", "text");
  CleanReader reader({file}, {}, false, 4);
  std::filesystem::remove(file);
  std::string part;
  bool file_ends = false;
  expect_mentions(message_of<FileError>([&] { reader.next(part, file_ends); }),
                  {"a.txt", "cannot be opened", "No such file"});
}

TEST_F(CleanReaderTest, MarksTheEndOfEveryFileEvenAnEmptyOne) {
  CleanReader reader({write("a.txt", "one"), write("b.txt", ""), write("c.txt", "two")}, {}, false, 64);
  std::vector<std::string> parts;
  std::string part;
  for (bool file_ends = false; reader.next(part, file_ends);) {
    EXPECT_TRUE(file_ends);
    parts.push_back(reader.current_file().filename().string() + ":" + part);
  }
  EXPECT_EQ(parts, (std::vector<std::string>{"a.txt:one", "b.txt:", "c.txt:two"}));
}

}  // namespace
}  // namespace tinylm
