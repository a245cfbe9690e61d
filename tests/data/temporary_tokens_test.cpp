#include "data/temporary_tokens.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "core/errors.h"
#include "data_test_support.h"

namespace tinylm {
namespace {

/// In the test's own folder for temporary files.
class TemporaryTokensTest : public LettersTest {
 protected:
  void SetUp() override {
    LettersTest::SetUp();
    std::filesystem::create_directories(folder_ / "tmp");
    ::setenv("TMPDIR", (folder_ / "tmp").c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("TMPDIR");
    LettersTest::TearDown();
  }

  std::vector<std::int64_t> ids(const TextOptions& text, const std::string& literal = "") const {
    const TemporaryTokens tokens(text, literal, *tokenizer_);
    const TokenRange range = tokens.range();
    std::vector<std::int64_t> ids(static_cast<std::size_t>(range.count));
    range.file->copy(range.first, range.count, ids.data());
    return ids;
  }
  bool nothing_is_left() const { return std::filesystem::is_empty(folder_ / "tmp"); }
};

using Ids = std::vector<std::int64_t>;

TEST_F(TemporaryTokensTest, AreThoseOfAllFilesNamed) {
  TextOptions text;
  text.text = {write("b.txt", "ab\r\n").string(), write("folder/a.txt", "c").parent_path().string()};
  EXPECT_EQ(ids(text), (Ids{2, 3, 0, 4}));
}

TEST_F(TemporaryTokensTest, BeginAndEndDocumentsAsTheTextWasTrained) {
  TextOptions text;
  text.documents = Documents::kLine;
  EXPECT_EQ(ids(text, "ab\nc"), (Ids{7, 2, 3, 8, 7, 4, 8}));
}

TEST_F(TemporaryTokensTest, OfALiteralAreThoseOfItsText) {
  EXPECT_EQ(ids({}, "a b"), (Ids{2, 1, 3}));
}

TEST_F(TemporaryTokensTest, LeaveNothingBehind) {
  {
    const TemporaryTokens tokens({}, "abc", *tokenizer_);
    EXPECT_FALSE(nothing_is_left());
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "tmp"))
      EXPECT_EQ(entry.status().permissions(), std::filesystem::perms::owner_all) << "not for others to read";
  }
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(TemporaryTokensTest, TakeAwayWhatAKilledProcessLeftADayBefore) {
  const std::filesystem::path left = write("tmp/tinylm-text.tmp-0123456789abcdef/--text", "abc");
  const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(25);
  std::filesystem::last_write_time(left, old);
  std::filesystem::last_write_time(left.parent_path(), old);
  EXPECT_EQ(ids({}, "a"), (Ids{2}));
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(TemporaryTokensTest, NameThePlaceOfACharacterWithoutTokenAndLeaveNothingBehind) {
  const std::string message = message_of<BadInput>([&] { ids({}, "ab\nax"); });
  EXPECT_EQ(message.find("--text, line 2, column 2: the char tokenizer has no token for \"x\" (U+0078)"), 0U)
      << message;
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(TemporaryTokensTest, RefuseATextOfLineEndsAlone) {
  TextOptions text;
  text.documents = Documents::kLine;
  expect_mentions(message_of<BadInput>([&] { ids(text, "\n\n"); }), {"--text: there is no text in it"});
}

}  // namespace
}  // namespace tinylm
