#include "inspect/practice/typed_numbers.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace tinylm {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

torch::Tensor numbers(std::vector<double> values) {
  return torch::tensor(values, torch::kFloat64);
}

TEST(ParseNumbers, TakesCommasSpacesAndBracketsAsSeparators) {
  for (const char* line : {"0.5 -1 2", "0.5,-1,2", " [0.5, -1; +2]\r", "1/2 -1\t2"}) {
    const auto parsed = parse_numbers(line);
    ASSERT_TRUE(parsed.has_value()) << line;
    EXPECT_TRUE(torch::equal(*parsed, numbers({0.5, -1, 2}))) << line;
  }
}

TEST(ParseNumbers, TakesMinusInfinity) {
  const auto parsed = parse_numbers("1 -inf");
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ((*parsed)[1].item<double>(), -kInfinity);
}

TEST(ParseNumbers, RefusesWhatIsNoNumber) {
  for (const char* line :
       {"", " , ", "one", "0.5 x", "nan", "inf", "1/0", "1/", "/2", "1e999", "0.5.1", "+-1", "--1"}) {
    EXPECT_FALSE(parse_numbers(line).has_value()) << line;
  }
}

TEST(DistanceInTolerances, CountsSixThousandthsOrOnePercent) {
  EXPECT_NEAR(distance_in_tolerances(numbers({0.106}), numbers({0.1})), 1.0, 1e-9);
  EXPECT_NEAR(distance_in_tolerances(numbers({10.2}), numbers({10.0})), 2.0, 1e-9);
}

TEST(DistanceInTolerances, IsTheLargestOverTheNumbers) {
  EXPECT_NEAR(distance_in_tolerances(numbers({0.1, 0.088}), numbers({0.1, 0.1})), 2.0, 1e-9);
}

TEST(DistanceInTolerances, IsInfiniteForAnotherCountOrNoNumber) {
  EXPECT_EQ(distance_in_tolerances(numbers({1, 1}), numbers({1})), kInfinity);
  EXPECT_EQ(distance_in_tolerances(numbers({std::nan("")}), numbers({1})), kInfinity);
  EXPECT_EQ(distance_in_tolerances(numbers({-kInfinity}), numbers({1})), kInfinity);
}

TEST(ShortNumber, HasAtMostThreeDecimalsAndNoZerosAtTheEnd) {
  EXPECT_EQ(short_number(2.0), "2");
  EXPECT_EQ(short_number(-1.5), "-1.5");
  EXPECT_EQ(short_number(0.70711), "0.707");
  EXPECT_EQ(short_number(100.0), "100");
  EXPECT_EQ(short_number(-0.0001), "0");
  EXPECT_EQ(short_number(-kInfinity), "-inf");
  EXPECT_EQ(short_number(1e300), "1e+300");
}

}  // namespace
}  // namespace tinylm
