#include "inspect/packed_rows.h"

#include <cmath>

#include <gtest/gtest.h>

#include "inspect/base64.h"

namespace tinylm {
namespace {

std::vector<int> numbers_of(const std::string& bytes) {
  std::vector<int> numbers;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2)
    numbers.push_back(static_cast<unsigned char>(bytes[i]) + 256 * static_cast<unsigned char>(bytes[i + 1]));
  return numbers;
}

TEST(PackedRows, HoldTheLowerTriangleOfEachMap) {
  const torch::Tensor weights = torch::tensor({{{1.0, 0.0}, {0.25, 0.75}}, {{1.0, 0.0}, {1.0, 0.0}}});
  EXPECT_EQ(numbers_of(packed_rows(weights, true)), (std::vector<int>{65535, 16384, 49151, 65535, 65535, 0}));
  EXPECT_EQ(numbers_of(packed_rows(weights[0], false)), (std::vector<int>{65535, 0, 16384, 49151}));
}

// 65535 / 4 = 16383.75 and 3 x 65535 / 8 = 24575.625: rounded down they leave 1, for the largest remainder, .75.
TEST(PackedRows, GiveWhatIsLeftToTheLargestRemainders) {
  torch::Tensor weights = torch::zeros({3, 3});
  weights[0][0] = 1.0;
  weights[1][0] = 1.0;
  weights[2] = torch::tensor({0.375, 0.25, 0.375});
  const std::vector<int> numbers = numbers_of(packed_rows(weights, true));
  EXPECT_EQ(std::vector<int>(numbers.begin() + 3, numbers.end()), (std::vector<int>{24576, 16384, 24575}));
}

TEST(PackedRows, SumToOneExactlyAndLoseLessThanOneStep) {
  torch::manual_seed(3);
  const std::int64_t T = 70;
  const torch::Tensor later = torch::ones({T, T}, torch::kBool).triu(1);
  const torch::Tensor weights = torch::softmax((torch::randn({3, T, T}) * 6).masked_fill(later, -INFINITY), -1);
  const std::vector<int> numbers = numbers_of(packed_rows(weights, true));
  std::size_t next = 0;
  for (std::int64_t map = 0; map < 3; ++map) {
    for (std::int64_t q = 0; q < T; ++q) {
      std::int64_t sum = 0;
      for (std::int64_t k = 0; k <= q; ++k, ++next) {
        sum += numbers[next];
        EXPECT_NEAR(numbers[next] / 65535.0, weights[map][q][k].item<double>(), 1.6e-5);
      }
      ASSERT_EQ(sum, kPackedOne) << map << " " << q;
    }
  }
  EXPECT_EQ(next, numbers.size());
  EXPECT_EQ(packed_bytes(3, T, true), static_cast<std::int64_t>(2 * next));
}

TEST(PackedRows, OfWeightsThatAreNoNumbersAreZero) {
  const torch::Tensor weights = torch::tensor({{1.0, 0.0}, {std::nan(""), 0.5}});
  EXPECT_EQ(numbers_of(packed_rows(weights, true)), (std::vector<int>{65535, 0, 0}));
}

// Test vectors of RFC 4648, section 10.
TEST(Base64, IsTheStandardAlphabetWithPadding) {
  EXPECT_EQ(base64(std::string_view("")), "");
  EXPECT_EQ(base64(std::string_view("f")), "Zg==");
  EXPECT_EQ(base64(std::string_view("fo")), "Zm8=");
  EXPECT_EQ(base64(std::string_view("foo")), "Zm9v");
  EXPECT_EQ(base64(std::string_view("foobar")), "Zm9vYmFy");
  EXPECT_EQ(base64(std::string_view("\xFB\xFF\xFE", 3)), "+//+");
}

TEST(Base64, OfNumbersIsLittleEndian) {
  EXPECT_EQ(base64(torch::tensor({1.0F, -2.0F})), base64(std::string_view("\x00\x00\x80\x3F\x00\x00\x00\xC0", 8)));
  EXPECT_EQ(base64(torch::tensor({258}, torch::kInt32)), base64(std::string_view("\x02\x01\x00\x00", 4)));
}

}  // namespace
}  // namespace tinylm
