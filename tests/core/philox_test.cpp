#include "core/philox.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace tinylm {
namespace {

using Block = Philox::Block;

// Known answers: the file kat_vectors of the authors' library Random123, lines "philox4x32 10".
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_EQ(Philox::rounds({0, 0, 0, 0}, 0, 0), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox::rounds({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, 0xffffffff, 0xffffffff),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox::rounds({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, PutsPlaceSampleAndPurposeIntoTheCounterAndTheSeedIntoTheKey) {
  const Philox random(0x1122334455667788, Purpose::kDropout);
  EXPECT_EQ(random.block(0x00aabbccddeeff01, 0x0123456789abcdef),
            Philox::rounds({0x89abcdef, 0x01234567, 0xddeeff01, 0x03aabbcc}, 0x55667788, 0x11223344));
}

TEST(Philox, DiffersBySeedPurposeSampleAndPlace) {
  const std::set<Block> blocks = {
      Philox(1, Purpose::kWindow).block(0, 0),         Philox(2, Purpose::kWindow).block(0, 0),
      Philox(1, Purpose::kDropout).block(0, 0),        Philox(1, Purpose::kSampling).block(0, 0),
      Philox(1, Purpose::kWindow).block(1, 0),         Philox(1, Purpose::kWindow).block(0, 1),
      Philox(1, Purpose::kInitialisation).block(0, 0), Philox(1, Purpose::kTokenizerSample).block(0, 0),
      Philox(1, Purpose::kPractice).block(0, 0)};
  EXPECT_EQ(blocks.size(), 9u);
}

constexpr int kDraws = 100000;

TEST(Philox, UniformDrawsHaveMeanOneHalfAndVarianceOneTwelfth) {
  const Philox random(7, Purpose::kWindow);
  double sum = 0, squares = 0;
  for (int n = 0; n < kDraws; ++n) {
    const double x = random.uniform(static_cast<std::uint64_t>(n), 3);
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    sum += x;
    squares += (x - 0.5) * (x - 0.5);
  }
  // Five standard errors: sqrt(1/12/n) and sqrt(1/180/n).
  EXPECT_NEAR(sum / kDraws, 0.5, 5 * std::sqrt(1.0 / 12 / kDraws));
  EXPECT_NEAR(squares / kDraws, 1.0 / 12, 5 * std::sqrt(1.0 / 180 / kDraws));
}

TEST(Philox, NormalPairsHaveMeanZeroVarianceOneAndNoCorrelation) {
  const Philox random(8, Purpose::kInitialisation);
  double sum = 0, squares = 0, products = 0;
  for (int n = 0; n < kDraws; ++n) {
    const auto [x, y] = random.normal_pair(0, static_cast<std::uint64_t>(n));
    sum += x + y;
    squares += x * x + y * y;
    products += x * y;
  }
  // Five standard errors of 2 n draws: 1/sqrt(2n), sqrt(2/2n); of n products: 1/sqrt(n).
  EXPECT_NEAR(sum / (2 * kDraws), 0.0, 5 / std::sqrt(2.0 * kDraws));
  EXPECT_NEAR(squares / (2 * kDraws), 1.0, 5 / std::sqrt(1.0 * kDraws));
  EXPECT_NEAR(products / kDraws, 0.0, 5 / std::sqrt(1.0 * kDraws));
}

TEST(Philox, DrawsWholeNumbersBelowALimitEvenly) {
  const Philox random(9, Purpose::kWindow);
  constexpr int kLimit = 10;
  std::array<int, kLimit> counts{};
  for (int n = 0; n < kDraws; ++n) ++counts.at(random.below(kLimit, static_cast<std::uint64_t>(n), 0));
  const double expected = kDraws / kLimit;
  for (const int count : counts) EXPECT_NEAR(count, expected, 5 * std::sqrt(expected));
  EXPECT_EQ(random.below(1, 5, 5), 0u);
}

}  // namespace
}  // namespace tinylm
