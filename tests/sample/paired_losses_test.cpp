#include "sample/paired_losses.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <numbers>

#include "core/errors.h"
#include "sample/scripted_model.h"

namespace tinylm {
namespace {

const Tokenizer& bytes() {
  static const std::unique_ptr<Tokenizer> tokenizer = test::tokenizer_over("byte", "x");
  return *tokenizer;
}

/// A text of bytes, each of which costs `nats`; with START before it all bytes are predicted, else all but the first.
LossesByByte losses_of(const std::string& text, double nats, bool start = true) {
  LossesByByte losses(bytes(), start ? bytes().start_id() : static_cast<TokenId>(text.front()));
  std::int64_t position = 0;
  for (const char byte : start ? text : text.substr(1)) losses.add({++position, static_cast<TokenId>(byte), nats});
  return losses;
}

PairedPiece piece(std::int64_t piece_bytes, double a_nats, double b_nats) {
  return {0, piece_bytes, a_nats, b_nats, 0, 0};
}

TEST(LossesByByte, CountEndAndStartToTheTokenBefore) {
  LossesByByte losses(bytes(), bytes().start_id());
  losses.add({1, 'a', 1.0});
  losses.add({2, bytes().end_id(), 0.5});
  losses.add({3, bytes().start_id(), 0.25});
  losses.add({4, 'b', 2.0});
  ASSERT_EQ(losses.tokens().size(), 2U);
  EXPECT_EQ(losses.tokens()[0].loss_nats, 1.75);
  EXPECT_TRUE(losses.tokens()[0].ends_line);
  EXPECT_EQ(losses.tokens()[1].end_byte, 2);
  EXPECT_EQ(losses.bytes(), 2);
}

TEST(PairedPieces, EndWithLinesOnceTheyAreLongEnough) {
  const std::string text = "ab\ncd\nefgh\ni\n";  // 3, 3, 5 and 2 bytes
  const auto pieces = paired_pieces(losses_of(text, 1.0), losses_of(text, 2.0), 4);
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces[0].bytes, 6);
  EXPECT_EQ(pieces[0].a_nats, 6.0);
  EXPECT_EQ(pieces[0].b_nats, 12.0);
  EXPECT_EQ(pieces[1].first_byte, 6);
  EXPECT_EQ(pieces[1].bytes, 5);
  EXPECT_EQ(pieces[2].bytes, 2);
}

TEST(PairedPieces, EndWithoutALineAtTwiceTheLength) {
  const std::string text(20, 'x');
  const auto pieces = paired_pieces(losses_of(text, 1.0), losses_of(text, 2.0), 4);
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces[0].bytes, 8);
}

TEST(PairedPieces, LeaveOutWhatOneOfThemDoesNotPredict) {
  const std::string text = "abcd\nefgh\n";
  const auto pieces = paired_pieces(losses_of(text, 1.0), losses_of(text, 2.0, /*start=*/false), 4);
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[0].first_byte, 1);
  EXPECT_EQ(pieces[0].a_nats, 4.0);
  EXPECT_EQ(pieces[0].b_nats, 8.0);
  EXPECT_EQ(pieces[1].bytes, 5);
}

TEST(PairedPieces, OfDifferentTokensEndWhereBothHaveABorder) {
  LossesByByte a(bytes(), bytes().start_id());
  for (int i = 0; i < 6; ++i) a.add({i + 1, 'x', 1.0});
  // The same six bytes as two characters.
  const auto euros = test::tokenizer_over("char", "\u20AC");
  LossesByByte c(*euros, euros->start_id());
  const TokenId euro = euros->encode("\u20AC")[0];
  c.add({1, euro, 2.5});
  c.add({2, euro, 2.5});
  const auto pieces = paired_pieces(a, c, 1);
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[0].bytes, 3);
  EXPECT_EQ(pieces[0].a_nats, 3.0);
  EXPECT_EQ(pieces[0].b_nats, 2.5);
  EXPECT_EQ(pieces[1].a_position, 4);
  EXPECT_EQ(pieces[1].a_tokens, 3);
}

TEST(PairedPieces, RefuseTextsThatWereReadDifferently) {
  try {
    paired_pieces(losses_of("abc", 1.0), losses_of("ab", 1.0), 1);
    FAIL() << "expected BadInput";
  } catch (const BadInput& error) {
    EXPECT_STREQ(error.what(),
                 "the two runs read the text differently, as 3 and as 2 bytes: compare runs that were trained with the "
                 "same --documents and --keep-crlf");
  }
}

TEST(DifferenceOf, IsThatOfTheTotalsInBitsAByte) {
  const Difference difference = difference_of({piece(4, 3.0, 1.0), piece(6, 1.0, 2.0)}, {});
  EXPECT_NEAR(difference.bits_per_byte, 1.0 / std::numbers::ln2 / 10.0, 1e-12);
  EXPECT_EQ(difference.bytes, 10);
}

TEST(DifferenceOf, HasNoWidthWhereAllPiecesDifferAlike) {
  const Difference difference = difference_of(std::vector<PairedPiece>(20, piece(5, 1.0, 2.0)), {});
  EXPECT_NEAR(difference.lowest, difference.bits_per_byte, 1e-12);
  EXPECT_NEAR(difference.highest, difference.bits_per_byte, 1e-12);
}

TEST(DifferenceOf, HasTheWidthOfTheNormalDistributionForManyPieces) {
  // Half of 400 pieces of a byte differ by +1 nat, half by -1: the mean's standard deviation is 1/20 nat, so the
  // interval is 1.96/20 to both sides.
  std::vector<PairedPiece> pieces;
  for (int i = 0; i < 400; ++i) pieces.push_back(piece(1, i % 2, 1 - i % 2));
  const Difference difference = difference_of(pieces, {});
  EXPECT_NEAR(difference.bits_per_byte, 0.0, 1e-12);
  EXPECT_NEAR(difference.lowest * std::numbers::ln2, -1.96 / 20, 0.004);
  EXPECT_NEAR(difference.highest * std::numbers::ln2, 1.96 / 20, 0.004);
}

TEST(DifferenceOf, DependsOnTheSeedAndNotOnThreads) {
  std::vector<PairedPiece> pieces;
  for (int i = 0; i < 50; ++i) pieces.push_back(piece(1 + i % 7, i % 5, i % 3));
  const Difference first = difference_of(pieces, {});
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  EXPECT_EQ(difference_of(pieces, {}).lowest, first.lowest);
  omp_set_num_threads(before);
  EXPECT_NE(difference_of(pieces, {.replicates = 10'000, .seed = 1}).lowest, first.lowest);
}

TEST(DifferenceOf, RefusesASinglePiece) {
  EXPECT_THROW(difference_of({piece(5, 1.0, 2.0)}, {}), BadInput);
}

}  // namespace
}  // namespace tinylm
