#include "inspect/heat_map.h"

#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "core/errors.h"
#include "core/utf8.h"
#include "inspect/example.h"

namespace tinylm {
namespace {

/// One head in which token q looks at key k with the weight given, else nothing.
Inspection looking(std::size_t T, const std::string& label, std::int64_t q, std::int64_t k, double weight) {
  Inspection inspection;
  inspection.ids.assign(T, 0);
  inspection.labels.assign(T, label);
  inspection.attention = torch::zeros({1, 1, static_cast<std::int64_t>(T), static_cast<std::int64_t>(T)});
  inspection.attention[0][0][q][k] = weight;
  return inspection;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(HeatMap, ShowsAKnownMatrix) {
  // Shades: the square root of the weight times nine, rounded: 0.5 -> 6, 0.1 -> 3, 0.2 -> 4, 0.7 -> 8.
  EXPECT_EQ(heat_map(test::example(), 0, 1, 80, ColorDepth::kAscii),
            "L0H1: each row looks at the columns\n"
            "weight 0 to 1, by its square root: .:-=+*#%@\n"
            "    a b \u23CE\n"
            "0 a @@\n"
            "1 b ****\n"
            "2 \u23CE --==%%\n");
}

TEST(HeatMap, ColoursWithTheFirstAndLastOfTheScale) {
  const std::string map = heat_map(test::example(), 0, 0, 80, ColorDepth::k24Bit);
  EXPECT_EQ(lines_of(map)[4], "1 b \x1b[48;2;68;1;84m  \x1b[48;2;253;231;37m  \x1b[0m");
}

TEST(HeatMap, UsesTheNearestOf256Colours) {
  // (68, 1, 84): steps 1, 0, 1 of the cube: 16 + 36 + 1. (253, 231, 37): steps 5, 4, 0: 16 + 180 + 24.
  const std::string map = heat_map(test::example(), 0, 0, 80, ColorDepth::k256Colors);
  EXPECT_EQ(lines_of(map)[4], "1 b \x1b[48;5;53m  \x1b[48;5;220m  \x1b[0m");
}

TEST(HeatMap, PutsTwoRowsOnALineInColoursWhenTheyAreMany) {
  Inspection inspection = looking(41, "x", 1, 0, 1.0);
  inspection.attention[0][0][3][2] = 1.0;
  const std::string low = "68;1;84m", high = "253;231;37m";
  const auto lines = lines_of(heat_map(inspection, 0, 0, 90, ColorDepth::k24Bit));
  ASSERT_EQ(lines.size(), 4U + 21U);
  EXPECT_EQ(lines[2], "a line is two rows, the upper one named");
  // Rows 0 and 1: key 0 is dark above and bright below; row 0 does not see key 1.
  EXPECT_EQ(lines[4], " 0 x \x1b[38;2;" + low + "\x1b[48;2;" + high + "\u2580\u2580\x1b[0m\x1b[38;2;" + low +
                          "\u2584\u2584\x1b[0m");
  const std::string dark = "\x1b[38;2;" + low + "\x1b[48;2;" + low + "\u2580\u2580";
  EXPECT_EQ(lines[5], " 2 x " + dark + dark + "\x1b[38;2;" + low + "\x1b[48;2;" + high +
                          "\u2580\u2580\x1b[0m\x1b[38;2;" + low + "\u2584\u2584\x1b[0m");
  EXPECT_EQ(lines[24].substr(0, 5), "40 x ") << "the last one stands alone";
  EXPECT_EQ(lines_of(heat_map(inspection, 0, 0, 90, ColorDepth::kAscii)).size(), 3U + 41U);
  EXPECT_EQ(lines_of(heat_map(looking(40, "x", 1, 0, 1.0), 0, 0, 90, ColorDepth::k24Bit)).size(), 3U + 40U);
}

TEST(HeatMap, AlignsWideAndCombiningLabels) {
  Inspection inspection = test::example();
  inspection.labels = {"\U0001F600", "e\u0301", "\u0301"};
  const std::vector<std::string> lines = lines_of(heat_map(inspection, 0, 0, 80, ColorDepth::kAscii));
  EXPECT_EQ(lines[2], "     \U0001F600e\u0301 \u25CC\u0301");
  EXPECT_EQ(lines[3], "0 \U0001F600 @@");
  EXPECT_EQ(lines[4], "1 e\u0301    @@");
  EXPECT_EQ(lines[5], "2 \u25CC\u0301      @@");
}

TEST(HeatMap, GivesIndicesWhereLabelsDoNotFit) {
  const std::vector<std::string> lines =
      lines_of(heat_map(looking(12, "word", 11, 0, 1.0), 0, 0, 48, ColorDepth::kAscii));
  EXPECT_EQ(lines[2], "        0   2   4   6   8   10");
  EXPECT_EQ(lines[14], "11 word @@");
}

TEST(HeatMap, CutsLongLabels) {
  const std::vector<std::string> lines =
      lines_of(heat_map(looking(1, "internationally", 0, 0, 1.0), 0, 0, 80, ColorDepth::kAscii));
  EXPECT_EQ(lines[3], "0 internation\u2026 @@@@");
}

TEST(HeatMap, PoolsKeysByTheirMaximumAndSaysSo) {
  // 100 keys on 48 columns: index, label and two spaces take 5, so three keys share each of 34 cells.
  const std::vector<std::string> lines =
      lines_of(heat_map(looking(100, "x", 99, 50, 1.0), 0, 0, 48, ColorDepth::kAscii));
  EXPECT_EQ(lines[2], "a cell is the largest of 3 neighbouring keys");
  EXPECT_EQ(lines[3], "     0    15   30   45   60   75   90");
  EXPECT_EQ(lines[103], "99 x " + std::string(16, ' ') + "@");  // 50 / 3 = 16
}

TEST(HeatMap, FitsItsRowsIntoANarrowTerminal) {
  for (const std::size_t columns : {24, 30}) {
    const auto lines = lines_of(heat_map(looking(99, "word", 98, 0, 1.0), 0, 0, columns, ColorDepth::kAscii));
    for (std::size_t i = lines.size() - 99; i < lines.size(); ++i)
      EXPECT_LE(utf8::display_width(lines[i]), columns) << lines[i];
  }
}

TEST(HeatMap, NoLineIsWiderThanTheColumns) {
  for (const std::size_t T : {1, 20, 40, 45, 99, 256}) {
    for (const std::size_t columns : {48, 80, 200}) {
      for (const std::string label : {"x", "\U0001F600", "a longer label"}) {
        const Inspection inspection = looking(T, label, 0, 0, 1.0);
        for (const std::string& line : lines_of(heat_map(inspection, 0, 0, columns, ColorDepth::kAscii))) {
          EXPECT_LE(utf8::display_width(line), columns) << T << " " << label << ": " << line;
        }
      }
    }
  }
}

TEST(HeatMap, MarksWeightsThatAreNoNumbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(lines_of(heat_map(looking(1, "x", 0, 0, nan), 0, 0, 80, ColorDepth::kAscii))[3], "0 x ??");
}

TEST(HeatMap, RefusesLayersAndHeadsThatDoNotExist) {
  try {
    heat_map(test::example(), 1, -1, 80, ColorDepth::kAscii);
    FAIL() << "expected WrongUse";
  } catch (const WrongUse& error) {
    EXPECT_STREQ(error.what(), "layer is 1, expected 0 to 0\nhead is -1, expected 0 to 1");
  }
}

}  // namespace
}  // namespace tinylm
