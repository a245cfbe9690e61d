#include "sample/text_score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "core/errors.h"
#include "core/machine.h"
#include "core/philox.h"
#include "core/torch_compat.h"
#include "sample/continuation.h"
#include "sample/scored_example.h"
#include "sample/scripted_model.h"
#include "test_support.h"

namespace tinylm {
namespace {

using test::Script;
using test::scripted_model;
using test::tokenizer_over;
using test::TokensOf;

/// A text of letters a to e, and models of its vocabulary.
class ScoredText5 : public ::testing::Test {
 protected:
  std::vector<TokenId> ids_of(const std::string& text) const { return tokenizer_->encode(text); }
  std::vector<TokenId> random_ids(std::int64_t count) const {
    const Philox random(3, Purpose::kWindow);
    std::vector<TokenId> ids;
    for (std::int64_t i = 0; i < count; ++i)
      ids.push_back(static_cast<TokenId>(random.below(5, static_cast<std::uint64_t>(i), 0)));
    return ids;
  }
  static std::vector<TokenLoss> losses(LanguageModel model, const Tokenizer& tokenizer, const TokenRange& text,
                                       std::int64_t stride, std::int64_t rows = 2) {
    std::vector<TokenLoss> tokens;
    TextScorer(model, tokenizer, stride).score(text, rows, [&](const TokenLoss& token) { tokens.push_back(token); });
    return tokens;
  }

  std::unique_ptr<Tokenizer> tokenizer_ = tokenizer_over("char", "abcde");
  std::int64_t V_ = tokenizer_->vocabulary_size();
  LanguageModel even_ = scripted_model(V_, 4, {});  // all logits 0
};

TEST_F(ScoredText5, OfAModelThatKnowsNothingIsLnVForEveryToken) {
  const TokensOf text(ids_of("abcdeabcde"), *tokenizer_);
  for (const TokenLoss& token : losses(even_, *tokenizer_, text.range(), 4))
    EXPECT_NEAR(token.loss_nats, std::log(V_), 1e-6) << token.position;
  const TextScore score = TextScorer(even_, *tokenizer_, 4).score(text.range(), 2);
  EXPECT_EQ(score.tokens, 9);
  EXPECT_EQ(score.bytes, 9);
  EXPECT_NEAR(score.total_loss_nats, 9 * std::log(V_), 1e-5);
  EXPECT_NEAR(score.mean_loss_nats(), std::log(V_), 1e-6);
  EXPECT_NEAR(score.mean_loss_bits(), std::log2(V_), 1e-6);
  EXPECT_NEAR(score.perplexity(), static_cast<double>(V_), 1e-5);
  EXPECT_NEAR(score.bits_per_byte(), std::log2(V_), 1e-6);
}

// After "a", "b" has the logit ln 3 and every other token 0: p = 3 / (3 + V - 1).
TEST_F(ScoredText5, GivesEachTokenTheLossOfItsProbability) {
  const TokenId a = ids_of("a")[0], b = ids_of("b")[0];
  const LanguageModel model = scripted_model(V_, 4, {{{a, b}, std::log(3.0)}});
  const TokensOf text(ids_of("abca"), *tokenizer_);
  const std::vector<TokenLoss> tokens = losses(model, *tokenizer_, text.range(), 4);
  ASSERT_EQ(tokens.size(), 3U);
  EXPECT_EQ(tokens[0].position, 1);
  EXPECT_EQ(tokens[0].id, b);
  EXPECT_NEAR(tokens[0].loss_nats, std::log((3.0 + V_ - 1) / 3.0), 1e-4)
      << "RMSNorm adds a little to what it divides by";
  EXPECT_NEAR(tokens[1].loss_nats, std::log(V_), 1e-5);
  EXPECT_EQ(tokens[2].position, 3);
  EXPECT_EQ(tokens[2].id, a);
}

TEST_F(ScoredText5, CountsEveryTokenAfterAStartAndNoBytesOfIt) {
  std::vector<TokenId> ids{tokenizer_->start_id()};
  for (const TokenId id : ids_of("abc")) ids.push_back(id);
  ids.push_back(tokenizer_->end_id());
  const TokensOf text(ids, *tokenizer_);
  const TextScore score = TextScorer(even_, *tokenizer_, 4).score(text.range(), 2);
  EXPECT_EQ(score.tokens, 4) << "a, b, c, END";
  EXPECT_EQ(score.bytes, 3);
  EXPECT_NEAR(score.bits_per_byte(), 4 * std::log2(V_) / 3, 1e-5);
}

TEST_F(ScoredText5, ComparesTokenizersByTheBytesOfTheSameText) {
  const auto wide = tokenizer_over("char", "\u00e9\u20aca"), bytes = tokenizer_over("byte", "a");
  const std::string text = "a\u00e9\u20aca";  // 1 + 2 + 3 + 1 bytes
  const TokensOf characters(wide->encode(text), *wide), single(bytes->encode(text), *bytes);
  const TextScore of_characters =
      TextScorer(scripted_model(wide->vocabulary_size(), 4, {}), *wide, 4).score(characters.range(), 2);
  const TextScore of_bytes =
      TextScorer(scripted_model(bytes->vocabulary_size(), 4, {}), *bytes, 4).score(single.range(), 2);
  EXPECT_EQ(of_characters.tokens, 3);
  EXPECT_EQ(of_characters.bytes, 6) << "of the tokens that are predicted";
  EXPECT_EQ(of_bytes.tokens, 6);
  EXPECT_EQ(of_bytes.bytes, 6);
  EXPECT_NEAR(of_characters.bits_per_byte(), 3 * std::log2(5.0) / 6, 1e-6);
  EXPECT_NEAR(of_bytes.bits_per_byte(), std::log2(258.0), 1e-5);
}

// log_likelihood() looks at the last `context` tokens before its own: with a stride of 1 every token has them.
TEST_F(ScoredText5, WithAStrideOf1IsThatOfTheWholeContextForEveryToken) {
  for (const char* positions : {"learned", "rope", "alibi"}) {
    LanguageModel model = test::random_model(V_, 6, positions);
    const std::vector<TokenId> ids = random_ids(40);
    const TokensOf text(ids, *tokenizer_);
    const std::vector<TokenLoss> tokens = losses(model, *tokenizer_, text.range(), 1, 5);
    ASSERT_EQ(tokens.size(), 39U);
    for (const TokenLoss& token : tokens) {
      const std::vector<TokenId> until(ids.begin(), ids.begin() + token.position + 1);
      EXPECT_NEAR(token.loss_nats, -log_likelihood(model, {until, 1}), 1e-4) << positions << " " << token.position;
    }
  }
}

TEST_F(ScoredText5, LooksBackFromEachTokenToTheBeginningOfItsWindow) {
  LanguageModel model = test::random_model(V_, 6, "learned");
  const std::vector<TokenId> ids = random_ids(40);
  const TokensOf text(ids, *tokenizer_);
  for (const std::int64_t stride : {2, 5, 6}) {
    for (const TokenLoss& token : losses(model, *tokenizer_, text.range(), stride)) {
      const std::int64_t after_first = std::max<std::int64_t>(0, token.position - 6);
      const std::int64_t begin = (after_first + stride - 1) / stride * stride;
      const std::vector<TokenId> window(ids.begin() + begin, ids.begin() + token.position + 1);
      EXPECT_NEAR(token.loss_nats, -log_likelihood(model, {window, 1}), 1e-4) << stride << " " << token.position;
    }
  }
}

TEST_F(ScoredText5, DependsOnNeitherRowsNorThreads) {
  LanguageModel model = test::random_model(V_, 6, "rope");
  const TokensOf text(random_ids(500), *tokenizer_);
  TextScorer scorer(model, *tokenizer_, 3);
  const double one = scorer.score(text.range(), 1).mean_loss_nats();
  for (const int threads : {1, 2, 3}) {
    use_threads(threads);
    for (const std::int64_t rows : {1, 2, 7, 64, 1000})
      EXPECT_NEAR(scorer.score(text.range(), rows).mean_loss_nats(), one, 1e-6) << threads << " " << rows;
  }
  use_threads(usable_cores());
}

TEST_F(ScoredText5, OfACertainTokenIsNotBelow0) {
  const TokenId a = ids_of("a")[0];
  const TokensOf text(ids_of("aaa"), *tokenizer_);
  const LanguageModel model = scripted_model(V_, 4, {{{a, a}, 200.0}});
  for (const TokenLoss& token : losses(model, *tokenizer_, text.range(), 4)) {
    EXPECT_EQ(token.loss_nats, 0.0);
    EXPECT_FALSE(std::signbit(token.loss_nats));
  }
}

TEST_F(ScoredText5, RefusesAStrideOutsideTheContext) {
  for (const std::int64_t stride : {0, -1, 5}) {
    EXPECT_EQ(test::message_of<WrongUse>([&] { TextScorer(even_, *tokenizer_, stride); }),
              "--stride is " + std::to_string(stride) + ": expected 1 to 4, the model's context");
  }
}

TEST_F(ScoredText5, RefusesAModelThatWasShownTheAnswers) {
  ModelConfig config = even_->config();
  config.attention_mask = MaskKind::kNone;
  const LanguageModel model(config, 1);
  expect_contains(test::message_of<WrongUse>([&] { TextScorer(model, *tokenizer_, 4); }), "attention_mask none");
}

TEST_F(ScoredText5, RefusesATextWithoutATokenToPredict) {
  const TokensOf text(ids_of("a"), *tokenizer_);
  EXPECT_EQ(test::message_of<BadInput>([&] { TextScorer(even_, *tokenizer_, 4).score(text.range(), 2); }),
            "the text has 1 token, at least 2 are needed: the first is predicted from nothing, so it has no loss; give "
            "more text");
}

TEST_F(ScoredText5, RefusesALossThatIsNoNumber) {
  const TokenId b = ids_of("b")[0];
  const LanguageModel model = scripted_model(V_, 4, {{{b, b}, std::numeric_limits<double>::quiet_NaN()}});
  const TokensOf text(ids_of("aabc"), *tokenizer_);
  expect_contains(
      test::message_of<NotFinite>([&] { TextScorer(model, *tokenizer_, 4).score(text.range(), 2); }),
      "is no number: this checkpoint's weights are of no use; take an earlier one with --checkpoint step-N");
}

TEST(MostSurprisingTokens, AreTheHighestLossesFirstAndOfEqualOnesTheEarlier) {
  MostSurprising most(3);
  for (const auto& [position, loss] :
       std::vector<std::pair<int, double>>{{1, 2}, {2, 5}, {3, 2}, {4, 1}, {5, 9}, {6, 2}})
    most.add({position, 0, loss});
  std::vector<std::int64_t> positions;
  for (const TokenLoss& token : most.tokens()) positions.push_back(token.position);
  EXPECT_EQ(positions, (std::vector<std::int64_t>{5, 2, 1}));
}

}  // namespace
}  // namespace tinylm
