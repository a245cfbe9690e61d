#include "core/text_table.h"

#include <gtest/gtest.h>

namespace tinylm {
namespace {

TEST(TextTable, HasColumnsAsWideAsTheirWidestCells) {
  EXPECT_EQ(text_table({{"run", "loss"}, {"a longer name", "1.5"}, {"b", "12.25"}}, {Side::kLeft}),
            "run            loss\n"
            "a longer name  1.5\n"
            "b              12.25\n");
}

TEST(TextTable, SetsEachColumnToItsSideTheLastOneForAllThatFollow) {
  EXPECT_EQ(text_table({{"kind", "items", "rate"}, {"a", "7", "50 %"}}, {Side::kLeft, Side::kRight}),
            "kind  items  rate\n"
            "a         7  50 %\n");
  EXPECT_EQ(text_table({{"j", "token", "v"}, {"10", "fox", "[1]"}}, {Side::kRight, Side::kLeft}),
            " j  token  v\n"
            "10  fox    [1]\n");
}

TEST(TextTable, IsIndentedAndEndsNoLineWithSpaces) {
  EXPECT_EQ(text_table({{"ab", "c"}, {"d", ""}, {"", ""}}, {Side::kLeft}, 2),
            "  ab  c\n"
            "  d\n"
            "\n");
}

TEST(TextTable, CountsWhatCharactersTakeOnATerminal) {
  EXPECT_EQ(text_table({{"日本", "1"}, {"e\u0301", "2"}}, {Side::kLeft}),
            "日本  1\n"
            "e\u0301     2\n");
}

TEST(TextTable, OfNothingIsEmpty) {
  EXPECT_EQ(text_table({}, {Side::kLeft}), "");
}

}  // namespace
}  // namespace tinylm
