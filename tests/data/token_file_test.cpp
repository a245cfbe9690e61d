#include "data/token_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "core/checksum.h"
#include "core/errors.h"
#include "data_test_support.h"

namespace tinylm {
namespace {

using TokenFileTest = FolderTest;

constexpr std::uint64_t kFingerprint = 0x0123456789abcdef;

std::filesystem::path write_tokens(const std::filesystem::path& path, std::int64_t vocabulary,
                                   const std::vector<TokenId>& ids) {
  TokenFileWriter writer(path, vocabulary, kFingerprint);
  writer.append(ids);
  writer.finish();
  return path;
}

std::vector<std::int64_t> all_ids(const TokenFile& file) {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(file.size()));
  file.copy(0, file.size(), ids.data());
  return ids;
}

/// Puts `value` over the bytes at `offset`.
template <class Value>
void overwrite(const std::filesystem::path& path, std::size_t offset, Value value) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(offset));
  file.write(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string opening_message(const std::filesystem::path& path) {
  return message_of<FileError>([&] { TokenFile file(path); });
}

std::string verify_message(const std::filesystem::path& path) {
  return message_of<FileError>([&] { TokenFile(path).verify(); });
}

TEST_F(TokenFileTest, TakesTheNarrowestWidth) {
  struct Case {
    std::int64_t vocabulary;
    std::uint32_t width;
  };
  for (const Case& c : {Case{1, 1}, {256, 1}, {257, 2}, {65536, 2}, {65537, 4}, {1 << 30, 4}}) {
    const auto last = static_cast<TokenId>(c.vocabulary - 1);
    const TokenFile file(write_tokens(folder_ / "t", c.vocabulary, {0, last, last / 2}));
    EXPECT_EQ(file.header().width_bytes, c.width);
    EXPECT_EQ(std::filesystem::file_size(file.path()), 64 + 3 * c.width);
    EXPECT_EQ(all_ids(file), (std::vector<std::int64_t>{0, last, last / 2})) << c.vocabulary;
    EXPECT_EQ(file[1], last);
    file.verify();
  }
}

TEST_F(TokenFileTest, HeaderHoldsWhatTheFileIs) {
  const auto path = write_tokens(folder_ / "t", 300, {299, 1});
  const TokenFile file(path);
  EXPECT_EQ(std::memcmp(file.header().magic, "TINYLMTK", 8), 0);
  EXPECT_EQ(file.header().version, 1u);
  EXPECT_EQ(file.header().vocabulary_size, 300u);
  EXPECT_EQ(file.header().tokenizer_fingerprint, kFingerprint);
  EXPECT_EQ(file.header().count, 2u);
  EXPECT_EQ(file.header().checksum, checksum_of(std::string("\x2b\x01\x01\x00", 4)));  // 299 = 0x012b, 1
}

TEST_F(TokenFileTest, AppendsAddUpBeyondTheBuffer) {
  std::vector<std::int64_t> expected;
  TokenFileWriter writer(folder_ / "t", 1000, kFingerprint);
  std::vector<TokenId> ids(70001);
  for (int part = 0; part < 5; ++part) {
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<TokenId>((i * 7 + part) % 1000);
    writer.append(ids);
    expected.insert(expected.end(), ids.begin(), ids.end());
  }
  EXPECT_EQ(writer.count(), static_cast<std::int64_t>(expected.size()));
  writer.finish();
  const TokenFile file(folder_ / "t");
  file.verify();
  EXPECT_EQ(all_ids(file), expected);
}

TEST_F(TokenFileTest, AppearsOnlyWhenFinished) {
  {
    TokenFileWriter writer(folder_ / "t", 10, kFingerprint);
    writer.append(std::vector<TokenId>{1, 2, 3});
    EXPECT_FALSE(std::filesystem::exists(folder_ / "t"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_)) << "the temporary file was left";
}

TEST_F(TokenFileTest, WriterRefusesIdsOutsideTheVocabulary) {
  TokenFileWriter writer(folder_ / "t", 10, kFingerprint);
  EXPECT_EQ(message_of<std::out_of_range>([&] { writer.append(std::vector<TokenId>{10}); }),
            "token id 10 in a vocabulary of 10");
  EXPECT_THROW(writer.append(std::vector<TokenId>{-1}), std::out_of_range);
}

TEST_F(TokenFileTest, CopyWidensARangeAndRefusesOneOutside) {
  const TokenFile file(write_tokens(folder_ / "t", 100, {5, 6, 7, 8}));
  std::vector<std::int64_t> out(2);
  file.copy(1, 2, out.data());
  EXPECT_EQ(out, (std::vector<std::int64_t>{6, 7}));
  EXPECT_EQ(message_of<std::out_of_range>([&] { file.copy(3, 2, out.data()); }), "ids 3 to 5 of 4");
  EXPECT_THROW(file.copy(-1, 1, out.data()), std::out_of_range);
  EXPECT_THROW(file.copy(0, -1, out.data()), std::out_of_range);
  EXPECT_THROW(file.copy(1, std::numeric_limits<std::int64_t>::max(), out.data()), std::out_of_range);
}

TEST_F(TokenFileTest, FindsTheFirstIdFromAPlaceOn) {
  std::vector<TokenId> ids(200000, 1);
  ids[3] = ids[70000] = ids[199999] = 2;
  const TokenFile file(write_tokens(folder_ / "t", 10, ids));
  EXPECT_EQ(file.find(2, 0), 3);
  EXPECT_EQ(file.find(2, 3), 3);
  EXPECT_EQ(file.find(2, 4), 70000);
  EXPECT_EQ(file.find(2, 70001), 199999);
  EXPECT_EQ(file.find(3, 0), file.size());
  EXPECT_EQ(file.find(2, file.size()), file.size());
}

TEST_F(TokenFileTest, ReleasedPagesComeBack) {
  const TokenFile file(write_tokens(folder_ / "t", 10, {1, 2, 3}));
  file.release_pages();
  EXPECT_EQ(file[2], 3);
}

TEST_F(TokenFileTest, HoldsNoIdsAtAll) {
  const TokenFile file(write_tokens(folder_ / "t", 10, {}));
  file.verify();
  EXPECT_EQ(file.size(), 0);
}

TEST_F(TokenFileTest, RefusesAFileShorterThanItsHeader) {
  expect_mentions(opening_message(write("t", "TINYLMTK")), {"/t: damaged token file", "8 bytes", "header of 64"});
  expect_mentions(opening_message(write("empty", "")), {"/empty: damaged token file", "0 bytes"});
}

TEST_F(TokenFileTest, RefusesAnotherMagic) {
  const auto path = write_tokens(folder_ / "t", 10, {1});
  overwrite(path, 0, 'X');
  expect_mentions(opening_message(path), {"damaged token file", "does not begin with TINYLMTK"});
}

TEST_F(TokenFileTest, RefusesAnotherVersion) {
  const auto path = write_tokens(folder_ / "t", 10, {1});
  overwrite(path, 8, std::uint32_t{2});
  expect_mentions(opening_message(path), {"damaged token file", "format version 2", "reads 1"});
}

TEST_F(TokenFileTest, RefusesAWidthThatDoesNotFollowFromTheVocabulary) {
  const auto path = write_tokens(folder_ / "t", 10, {1, 2});
  overwrite(path, 12, std::uint32_t{2});
  expect_mentions(opening_message(path), {"damaged token file", "ids of 2 bytes", "expected 1", "vocabulary of 10"});
}

TEST_F(TokenFileTest, RefusesAnImpossibleVocabulary) {
  const auto path = write_tokens(folder_ / "t", 10, {1});
  for (const std::uint64_t vocabulary : {std::uint64_t{0}, std::uint64_t{1} << 40}) {
    overwrite(path, 16, vocabulary);
    expect_mentions(opening_message(path), {"damaged token file", "a vocabulary of " + std::to_string(vocabulary)});
  }
}

TEST_F(TokenFileTest, RefusesATruncatedFile) {
  const auto path = write_tokens(folder_ / "t", 1000, {1, 2, 3});
  for (const std::uintmax_t size : {69, 68, 64}) {
    std::filesystem::resize_file(path, size);
    expect_mentions(opening_message(path),
                    {"damaged token file", std::to_string(size - 64) + " bytes of ids", "expected 3 ids of 2 bytes"});
  }
}

TEST_F(TokenFileTest, RefusesBytesAfterTheIds) {
  const auto path = write_tokens(folder_ / "t", 10, {1, 2, 3});
  std::filesystem::resize_file(path, 68);
  expect_mentions(opening_message(path), {"4 bytes of ids", "expected 3 ids of 1 bytes"});
}

TEST_F(TokenFileTest, RefusesACountThatOverflows) {
  const auto path = write_tokens(folder_ / "t", 1000, {1, 2});
  overwrite(path, 32, (std::uint64_t{1} << 63) + 2);  // times the width, this is 4 bytes again
  expect_mentions(opening_message(path), {"damaged token file", "expected 9223372036854775810 ids"});
}

TEST_F(TokenFileTest, VerifyFindsChangedIds) {
  const auto path = write_tokens(folder_ / "t", 256, {1, 2, 3});
  overwrite(path, 65, std::uint8_t{7});
  expect_mentions(verify_message(path), {"damaged token file", "checksum of its ids", "expected"});
}

TEST_F(TokenFileTest, VerifyNamesAnIdOutsideTheVocabulary) {
  std::vector<TokenId> ids(100000, 299);
  const auto path = write_tokens(folder_ / "t", 300, ids);
  overwrite(path, 64 + 2 * 70000, std::uint16_t{300});
  expect_mentions(verify_message(path), {"damaged token file", "token id 300 at offset 70000", "vocabulary of 300"});
}

}  // namespace
}  // namespace tinylm
