#include "core/checksum.h"

#include <gtest/gtest.h>

#include <utility>

#include "core/errors.h"
#include "core/files.h"
#include "test_support.h"

namespace tinylm {
namespace {

// XXH3 (64 bits, seed 0) of no bytes, as xxHash's own sanity check lists it (cli/xsum_sanity_check.c).
TEST(Checksum, OfNothingIsThePublishedValue) {
  EXPECT_EQ(checksum_of(""), 0x2d06800538d394c2u);
  EXPECT_EQ(Checksum().value(), 0x2d06800538d394c2u);
}

TEST(Checksum, DoesNotDependOnThePieces) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += std::to_string(i);
  Checksum pieces;
  std::size_t offset = 0;
  for (std::size_t length = 1; offset < text.size(); ++length) {
    pieces.update(std::string_view(text).substr(offset, length));
    offset += length;
  }
  EXPECT_EQ(pieces.value(), checksum_of(text));
  Checksum whole;
  whole.update(std::as_bytes(std::span(text)));
  EXPECT_EQ(whole.value(), checksum_of(text));
}

TEST(Checksum, ChangesWithOneBit) {
  EXPECT_NE(checksum_of("tiny"), checksum_of("tinx"));
}

TEST(Checksum, MovesItsState) {
  Checksum first;
  first.update("ab");
  Checksum second(std::move(first));
  second.update("c");
  EXPECT_EQ(second.value(), checksum_of("abc"));
}

TEST(Checksum, OfAFileIsThatOfItsBytes) {
  const auto file = test::fresh_folder() / "text";
  write_atomically(file, "some bytes");
  EXPECT_EQ(checksum_of_file(file), checksum_of("some bytes"));
  EXPECT_THROW(checksum_of_file(file.parent_path() / "none"), FileError);
}

TEST(Checksum, OfFilesIsThatOfTheirBytesInARow) {
  const auto folder = test::fresh_folder();
  write_atomically(folder / "a", "some ");
  write_atomically(folder / "b", "");
  write_atomically(folder / "c", "bytes");
  EXPECT_EQ(checksum_of_files({folder / "a", folder / "b", folder / "c"}), checksum_of("some bytes"));
  EXPECT_EQ(checksum_of_files({}), checksum_of(""));
}

TEST(Hex, HasSixteenDigitsAndReadsBack) {
  EXPECT_EQ(to_hex(0), "0000000000000000");
  EXPECT_EQ(to_hex(0xabc), "0000000000000abc");
  EXPECT_EQ(to_hex(~std::uint64_t{0}), "ffffffffffffffff");
  EXPECT_EQ(from_hex(to_hex(0x0123456789abcdef)), 0x0123456789abcdefu);
}

TEST(Hex, RefusesAnythingElse) {
  for (const std::string wrong :
       {"", "abc", "0000000000000ABC", "000000000000000g", "00000000000000000", "0x00000000000000"}) {
    EXPECT_EQ(test::message_of<BadInput>([&] { from_hex(wrong); }),
              "'" + wrong + "' is no checksum: expected 16 lower-case hexadecimal digits");
  }
}

}  // namespace
}  // namespace tinylm
