#include "core/utf8.h"

#include <gtest/gtest.h>

#include <vector>

namespace tinylm {
namespace {

using namespace std::string_literals;

TEST(Utf8FindInvalid, AcceptsTheFirstAndLastCodePointOfEachLength) {
  for (const char32_t c :
       {0x0u, 0x7Fu, 0x80u, 0x7FFu, 0x800u, 0xD7FFu, 0xE000u, 0xFFFEu, 0xFFFFu, 0x10000u, 0x10FFFFu}) {
    std::string text;
    utf8::append(text, static_cast<char32_t>(c));
    EXPECT_EQ(utf8::find_invalid(text), std::nullopt) << std::hex << static_cast<unsigned>(c);
  }
}

TEST(Utf8FindInvalid, RefusesWhatTheStandardRefuses) {
  // Unicode 15, table 3-7: well-formed byte sequences.
  for (const std::string& wrong : {"\x80"s, "\xBF"s, "\xC0\x80"s, "\xC1\xBF"s, "\xE0\x9F\xBF"s, "\xED\xA0\x80"s,
                                   "\xED\xBF\xBF"s, "\xF0\x8F\xBF\xBF"s, "\xF4\x90\x80\x80"s, "\xF5\x80\x80\x80"s,
                                   "\xFE"s, "\xFF"s, "\xC3"s, "\xE2\x82"s, "\xF0\x9F\x98"s, "\xC3("s, "\xE2\x82("s}) {
    EXPECT_EQ(utf8::find_invalid("abc" + wrong), 3u) << utf8::visible(wrong);
    EXPECT_EQ(utf8::find_invalid("abcdefgh" + wrong + "abcdefgh"), 8u) << utf8::visible(wrong);
  }
}

TEST(Utf8FindInvalid, TakesNulAndEmptyText) {
  EXPECT_EQ(utf8::find_invalid(""), std::nullopt);
  EXPECT_EQ(utf8::find_invalid("a\0b"s), std::nullopt);
}

TEST(Utf8Next, WalksThroughCodePoints) {
  const std::string text = "aé€😀";
  std::size_t offset = 0;
  EXPECT_EQ(utf8::next(text, offset), U'a');
  EXPECT_EQ(utf8::next(text, offset), U'é');
  EXPECT_EQ(utf8::next(text, offset), U'€');
  EXPECT_EQ(offset, 6u);
  EXPECT_EQ(utf8::next(text, offset), U'😀');
  EXPECT_EQ(offset, text.size());
}

TEST(Utf8Append, WritesWhatNextReads) {
  std::string text;
  for (const char32_t c : {U'a', U'é', U'€', U'😀'}) utf8::append(text, c);
  EXPECT_EQ(text, "aé€😀");
}

TEST(Utf8CompletePrefix, HoldsBackAnUnfinishedCharacter) {
  const std::string face = "😀";
  for (std::size_t have = 1; have < face.size(); ++have) {
    EXPECT_EQ(utf8::complete_prefix("ab" + face.substr(0, have)), 2u) << have;
  }
  EXPECT_EQ(utf8::complete_prefix("ab" + face), 6u);
  EXPECT_EQ(utf8::complete_prefix("\xC3"), 0u);
  EXPECT_EQ(utf8::complete_prefix("\xE0\xA0"), 0u);
  EXPECT_EQ(utf8::complete_prefix("\xED\x9F"), 0u);
  EXPECT_EQ(utf8::complete_prefix("\xF4\x8F\xBF"), 0u);
  EXPECT_EQ(utf8::complete_prefix(""), 0u);
}

TEST(Utf8CompletePrefix, LetsPassWhatNeverBecomesACharacter) {
  for (const std::string& wrong : {"\x80"s, "\xC0"s, "\xE0\x80"s, "\xED\xA0"s, "\xF0\x80"s, "\xF4\x90"s, "\xF5"s,
                                   "\xFF"s, "\x80\x80\x80\x80"s, "\xC3\xA9\x80"s}) {
    EXPECT_EQ(utf8::complete_prefix("a" + wrong), 1 + wrong.size()) << utf8::visible(wrong);
  }
}

TEST(Utf8WithReplacements, ReplacesEachInvalidByte) {
  EXPECT_EQ(utf8::with_replacements("fine é"), "fine é");
  EXPECT_EQ(utf8::with_replacements("a\xFF"
                                    "b\xE2\x82"),
            "a\uFFFDb\uFFFD\uFFFD");
  EXPECT_EQ(utf8::with_replacements(""), "");
}

TEST(Utf8DisplayWidth, CountsColumns) {
  EXPECT_EQ(utf8::display_width("abc"), 3u);
  EXPECT_EQ(utf8::display_width("é€"), 2u);
  EXPECT_EQ(utf8::display_width("日本"), 4u);
  EXPECT_EQ(utf8::display_width("e\u0301"), 1u);   // a combining accent
  EXPECT_EQ(utf8::display_width("a\u200Bb"), 2u);  // a space of no width
}

TEST(Utf8Visible, ShowsWhitespaceAndControlsAsMarks) {
  EXPECT_EQ(utf8::visible(" the "), " the ");
  EXPECT_EQ(utf8::visible("a\n"), "a⏎");
  EXPECT_EQ(utf8::visible("\t"), "⇥");
  EXPECT_EQ(utf8::visible("\r"), "␍");
  EXPECT_EQ(utf8::visible("\0"s), "␀");
  EXPECT_EQ(utf8::visible("\x1b[31m"), "␛[31m");
  EXPECT_EQ(utf8::visible("\x7f"), "␡");
  EXPECT_EQ(utf8::visible("\u0085"), "<U+0085>");
  EXPECT_EQ(utf8::visible("\u202E"), "<U+202E>");  // would turn the direction of the terminal's text
  EXPECT_EQ(utf8::visible("日本 é"), "日本 é");
}

TEST(Utf8Visible, ShowsLoneBytesInHexadecimal) {
  EXPECT_EQ(utf8::visible("\xE2\x82"), "<E2><82>");
  EXPECT_EQ(utf8::visible("a\xFF"
                          "b"),
            "a<FF>b");
}

TEST(Utf8Visible, NeverPrintsAControlByte) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string shown = utf8::visible(std::string(1, static_cast<char>(byte)));
    EXPECT_EQ(utf8::find_invalid(shown), std::nullopt);
    for (const char c : shown) EXPECT_FALSE((c >= 0 && c < 0x20) || c == 0x7F) << byte;
  }
}

}  // namespace
}  // namespace tinylm
