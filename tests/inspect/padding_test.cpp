#include "inspect/padding.h"

#include <gtest/gtest.h>

namespace tinylm {
namespace {

TEST(FitLeft, FillsWithSpaces) {
  EXPECT_EQ(fit_left("ab", 4), "ab  ");
}

TEST(FitLeft, CountsWideAndCombiningCharactersByTheirColumns) {
  EXPECT_EQ(fit_left("\u6F22", 4), "\u6F22  ");
  EXPECT_EQ(fit_left("e\u0301", 3), "e\u0301  ");
}

TEST(FitLeft, CutsBetweenCharacters) {
  EXPECT_EQ(fit_left("abcdef", 4), "abc\u2026");
  EXPECT_EQ(fit_left("\u6F22\u6F22\u6F22", 4), "\u6F22\u2026 ");  // a second one would leave no room for the mark
  EXPECT_EQ(fit_left("ae\u0301bcd", 3), "ae\u0301\u2026");
}

TEST(FitLeft, GivesATextOfNoWidthSomethingToStandOn) {
  EXPECT_EQ(fit_left("\u0301", 2), "\u25CC\u0301 ");
}

TEST(FitRight, FillsAtTheLeftAndNeverCuts) {
  EXPECT_EQ(fit_right("7", 3), "  7");
  EXPECT_EQ(fit_right("1234", 3), "1234");
}

}  // namespace
}  // namespace tinylm
