#include "tokenizer/training_lines.h"

#include <gtest/gtest.h>

#include "tests/tokenizer/test_text.h"

namespace tinylm {
namespace {

std::vector<std::string> all_lines(const std::string& text, std::size_t piece_bytes) {
  StringReader source(text, piece_bytes);
  LineReader reader(source);
  std::vector<std::string> lines;
  for (std::string_view line; reader.next(line);) lines.emplace_back(line);
  return lines;
}

std::vector<std::string> drawn_lines(TrainingLines& lines) {
  std::vector<std::string> drawn;
  for (std::string line; lines.next(line);) drawn.push_back(line);
  return drawn;
}

std::string numbered_lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "line " + std::to_string(100'000 + i) + "\n";  // 11 bytes without the newline
  return text;
}

TEST(LineReader, GivesTheLinesThatAreNotEmpty) {
  const std::vector<std::string> lines{"one", " ", "two\r", "three"};
  for (const std::size_t piece_bytes : {1, 2, 3, 100}) {
    EXPECT_EQ(all_lines("\none\n\n \ntwo\r\nthree", piece_bytes), lines);
    EXPECT_EQ(all_lines("one\n \ntwo\r\nthree\n\n", piece_bytes), lines);
  }
  EXPECT_TRUE(all_lines("", 1).empty());
}

TEST(LineReader, CutsLongLinesAtCodePointBorders) {
  std::string line = "a";
  while (line.size() < 3 * kLongestLineBytes)
    line += "\u4E2D";  // 3 bytes each: a cut at 4096 is the border 1 + 3 * 1365
  for (const std::size_t piece_bytes : {7, 4097, 100'000}) {
    const auto parts = all_lines(line + "\nshort", piece_bytes);
    ASSERT_EQ(parts.size(), 5u);
    EXPECT_EQ(parts[0].size(), 4096u);
    EXPECT_EQ(parts[1].size(), 4095u);
    EXPECT_EQ(parts[0] + parts[1] + parts[2] + parts[3], line);
    EXPECT_EQ(parts[4], "short");
  }
}

TEST(LineReader, EndsALineWhereADocumentEnds) {
  struct Documents : StringReader {
    using StringReader::StringReader;
    bool ends_document() const override { return true; }
  } source("emmaava", 4);  // two pieces, each a document
  LineReader reader(source);
  std::string_view line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "emma");
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "ava");
  EXPECT_FALSE(reader.next(line));
}

TEST(LineReader, KeepsALineOfExactlyTheLimitWhole) {
  const std::string line(kLongestLineBytes, 'x');
  EXPECT_EQ(all_lines(line + "\n" + line, 1000), (std::vector<std::string>{line, line}));
}

TEST(TrainingLines, TakeEverythingThatFits) {
  StringReader text(numbered_lines(100));
  TrainingLines lines(text, 1, 100 * 11);
  EXPECT_EQ(lines.all().lines, 100u);
  EXPECT_EQ(lines.all().bytes, 1100u);
  EXPECT_EQ(lines.drawn().lines, 100u);
  EXPECT_EQ(drawn_lines(lines).size(), 100u);
}

TEST(TrainingLines, DrawAsManyAsFitAndCountThem) {
  StringReader text(numbered_lines(20'000));
  TrainingLines lines(text, 1, 55'000);  // 5,000 lines
  EXPECT_EQ(lines.all().lines, 20'000u);
  EXPECT_LE(lines.drawn().bytes, 55'000u);
  EXPECT_GE(lines.drawn().bytes, 54'000u);
  const auto drawn = drawn_lines(lines);
  EXPECT_EQ(drawn.size(), lines.drawn().lines);
  EXPECT_EQ(drawn.size() * 11, lines.drawn().bytes);
  int in_first_half = 0;
  for (const std::string& line : drawn) in_first_half += line < "line 110000";
  EXPECT_NEAR(in_first_half, 2500, 200);  // 4.6 standard deviations of the hypergeometric distribution, 43
}

TEST(TrainingLines, DependOnTheSeedAndNotOnThePieces) {
  const auto drawn_with = [](std::uint64_t seed, std::size_t piece_bytes) {
    StringReader text(numbered_lines(2000), piece_bytes);
    TrainingLines lines(text, seed, 5000);
    return drawn_lines(lines);
  };
  EXPECT_EQ(drawn_with(1, 100), drawn_with(1, 9999));
  EXPECT_NE(drawn_with(1, 100), drawn_with(2, 100));
}

TEST(TrainingLines, PutTabsWhereTheTrainerReservesCharacters) {
  StringReader text("a\u2581b\u2585c" + std::string(1, '\0') + "d<s>e</s>f<unk>g<0x4F>h\u2582<0x4f><S><0x4\u00E9");
  TrainingLines lines(text, 1, 1000);
  EXPECT_EQ(drawn_lines(lines), std::vector<std::string>{"a\tb\tc\td\te\tf\tg\th\u2582<0x4f><S><0x4\u00E9"});
}

TEST(TrainingLines, ListTheCharactersThatNeedAPiece) {
  StringReader text("ba a\t\n<s><0x41>\u2581\u4E2D");
  EXPECT_EQ(TrainingLines(text, 1, 1000).required_characters(), U" ab\u4E2D");
  StringReader nothing("\t\n<s>\n\n");
  EXPECT_EQ(TrainingLines(nothing, 1, 1000).required_characters(), U"");
}

TEST(TrainingLines, ListOnlyCharactersOfDrawnLines) {
  StringReader text(numbered_lines(5000) + "\u00E9\n");
  std::u32string characters;
  TrainingLines lines(text, 3, 22'000);
  std::string drawn;
  for (const std::string& line : drawn_lines(lines)) drawn += line;
  EXPECT_EQ(lines.required_characters().back() == U'\u00E9', drawn.find("\u00E9") != std::string::npos);
}

}  // namespace
}  // namespace tinylm
