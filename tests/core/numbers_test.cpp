#include "core/numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

namespace tinylm {
namespace {

TEST(ParseDecimal, TakesWhatIsANumberAndNothingElse) {
  EXPECT_EQ(parse_decimal("-1.5"), -1.5);
  EXPECT_EQ(parse_decimal("+2e1"), 20.0);
  EXPECT_EQ(parse_decimal("inf"), std::numeric_limits<double>::infinity());
  for (const char* text : {"", "+", "+-1", "++1", "1 ", " 1", "0x10", "1,5", "x"})
    EXPECT_FALSE(parse_decimal(text)) << text;
}

TEST(ShellWord, QuotesWhatAShellWouldSplitOrExpand) {
  EXPECT_EQ(shell_word("runs/demo-1"), "runs/demo-1");
  EXPECT_EQ(shell_word("runs/with space"), "'runs/with space'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("$HOME"), "'$HOME'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(Shortest, ReadsBackAndLooksLikeAFloatingPointNumber) {
  EXPECT_EQ(shortest(1.0), "1.0");
  EXPECT_EQ(shortest(0.9), "0.9");
  EXPECT_EQ(shortest(-0.0), "-0.0");
  EXPECT_EQ(shortest(1e-4), "1e-04");
  EXPECT_EQ(shortest(0.001), "0.001");
  EXPECT_EQ(shortest(1e22), "1e+22");
  EXPECT_EQ(shortest(100.0), "100.0");
  for (const double value : {0.1 + 0.2, 1.0 / 3, 5e-324, 1.7976931348623157e308, -123456.789}) {
    EXPECT_EQ(std::strtod(shortest(value).c_str(), nullptr), value);
  }
}

TEST(Shortest, NamesWhatIsNotFinite) {
  EXPECT_EQ(shortest(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(shortest(std::nan("")), "nan");
}

TEST(Grouped, SetsACommaEveryThreeDigits) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(-123), "-123");
  EXPECT_EQ(grouped(-1234), "-1,234");
  EXPECT_EQ(grouped(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(HumanBytes, UsesPowersOfAThousand) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(1000), "1.0 kB");
  EXPECT_EQ(human_bytes(3200000), "3.2 MB");
  EXPECT_EQ(human_bytes(999960), "1.0 MB");
  EXPECT_EQ(human_bytes(std::numeric_limits<std::uint64_t>::max()), "18.4 EB");
}

TEST(HumanSeconds, UsesTheTwoLargestUnits) {
  EXPECT_EQ(human_seconds(0), "0.0 s");
  EXPECT_EQ(human_seconds(3.14), "3.1 s");
  EXPECT_EQ(human_seconds(9.96), "10 s");
  EXPECT_EQ(human_seconds(42.3), "42 s");
  EXPECT_EQ(human_seconds(59.7), "1 min 0 s");
  EXPECT_EQ(human_seconds(200), "3 min 20 s");
  EXPECT_EQ(human_seconds(7500), "2 h 5 min");
  EXPECT_EQ(human_seconds(7199), "2 h 0 min");
}

TEST(HumanSeconds, DoesNotInventATime) {
  EXPECT_EQ(human_seconds(std::nan("")), "?");
  EXPECT_EQ(human_seconds(std::numeric_limits<double>::infinity()), "?");
  EXPECT_EQ(human_seconds(1e20), "?");
}

TEST(Fixed, RoundsToTheGivenDecimals) {
  EXPECT_EQ(fixed(1.23456, 3), "1.235");
  EXPECT_EQ(fixed(-2.0, 0), "-2");
  EXPECT_EQ(fixed(-0.004, 2), "0.00") << "zero has no sign";
  EXPECT_EQ(fixed(-0.005001, 2), "-0.01");
  EXPECT_EQ(fixed(1e300, 1).size(), 303u);
}

TEST(EditDistance, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("widht", "width"), 1);
  EXPECT_EQ(edit_distance("ab", "ba"), 1);
  // Optimal string alignment: what was swapped is not edited again (3, where unrestricted Damerau would give 2).
  EXPECT_EQ(edit_distance("ca", "abc"), 3);
}

TEST(Nearest, FindsWhatWasMeantOrNothing) {
  const std::vector<std::string> known = {"width", "heads", "layers", "batch"};
  EXPECT_EQ(nearest("widht", known), "width");
  EXPECT_EQ(nearest("batchsize", known), "batch");
  EXPECT_EQ(nearest("temperature", known), "");
  EXPECT_EQ(nearest("x", known), "");
  EXPECT_EQ(nearest("width", std::vector<std::string>{}), "");
}

TEST(DidYouMean, EndsAMessageOrAddsNothing) {
  const std::vector<std::string> known = {"width", "heads"};
  EXPECT_EQ(did_you_mean("widht", known), "; did you mean 'width'?");
  EXPECT_EQ(did_you_mean("temperature", known), "");
}

}  // namespace
}  // namespace tinylm
