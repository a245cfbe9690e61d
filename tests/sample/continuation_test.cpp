#include "sample/continuation.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "core/errors.h"
#include "sample/prompt.h"
#include "sample/scripted_model.h"
#include "test_support.h"

namespace tinylm {
namespace {

using test::message_of;
using test::random_model;
using test::scripted_model;
using test::tokenizer_over;

/// Joins "ab" into one token where both stand together, and has one for each of the letters; as sentencepiece does.
class JoiningTokenizer : public Tokenizer {
 public:
  static constexpr TokenId kJoined = 0, kStart = 4, kEnd = 5;
  std::string kind() const override { return "joining"; }
  std::int64_t vocabulary_size() const override { return 6; }
  TokenId start_id() const override { return kStart; }
  TokenId end_id() const override { return kEnd; }
  void encode(std::string_view text, std::vector<TokenId>& ids) const override {
    while (!text.empty()) {
      const bool joined = text.starts_with("ab");
      ids.push_back(joined ? kJoined : text.front() - 'a' + 1);
      text.remove_prefix(joined ? 2 : 1);
    }
  }
  std::string bytes_of(TokenId id) const override { return id == kJoined ? "ab" : std::string(1, "abc"[id - 1]); }
  std::string serialize() const override { return ""; }
  std::string file_name() const override { return "joining"; }
};

/// The product of the probabilities of the ids from `first` on, each from a forward pass over those before it alone.
double product_of_probabilities(LanguageModel& model, const std::vector<TokenId>& ids, std::size_t first) {
  const torch::NoGradGuard no_grad;
  double product = 1.0;
  for (std::size_t t = first; t < ids.size(); ++t) {
    const std::vector<std::int64_t> before(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(t));
    const torch::Tensor logits = model->forward(torch::tensor(before).unsqueeze(0)).to(torch::kFloat64);  // [1, t, V]
    const std::int64_t last = static_cast<std::int64_t>(t) - 1;
    double sum = 0.0;
    for (std::int64_t v = 0; v < logits.size(2); ++v) sum += std::exp(logits[0][last][v].item<double>());
    product *= std::exp(logits[0][last][ids[t]].item<double>()) / sum;
  }
  return product;
}

class ContinuationOfLetters : public ::testing::Test {
 protected:
  Continuation of(const std::string& prompt, const std::string& text, TokenId empty_prompt_id) const {
    return continuation_of(prompt, text, *tokenizer_, empty_prompt_id);
  }
  double likelihood(LanguageModel model, const std::string& prompt, const std::string& text) const {
    return log_likelihood(model, of(prompt, text, start_));
  }
  std::vector<TokenId> after_start(const std::string& text) const {
    std::vector<TokenId> ids = {start_};
    tokenizer_->encode(text, ids);
    return ids;
  }

  std::unique_ptr<Tokenizer> tokenizer_ = tokenizer_over("char", "abc\n");
  TokenId start_ = tokenizer_->start_id();
  TokenId newline_ = tokenizer_->encode("\n").front();
  std::int64_t V_ = tokenizer_->vocabulary_size();
};

TEST_F(ContinuationOfLetters, BeginsWithStartWhereDocumentsWereTrained) {
  const Continuation continuation = of("ab", "ca", start_);
  EXPECT_EQ(continuation.ids, after_start("abca"));
  EXPECT_EQ(continuation.tokens, 2);
}

TEST_F(ContinuationOfLetters, BeginsWithThePromptWhereTheyWereNot) {
  const Continuation continuation = of("ab", "ca", newline_);
  EXPECT_EQ(continuation.ids, tokenizer_->encode("abca"));
  EXPECT_EQ(continuation.tokens, 2);
}

TEST_F(ContinuationOfLetters, FollowsTheGivenTokenWhenThePromptIsEmpty) {
  EXPECT_EQ(of("", "ca", start_).ids, after_start("ca"));
  EXPECT_EQ(of("", "ca", newline_).ids, tokenizer_->encode("\nca"));
  EXPECT_EQ(of("", "ca", newline_).tokens, 2);
}

TEST(Continuation, BeginsWithTheTokenThatJoinsTheBorder) {
  const Continuation continuation = continuation_of("ca", "bc", JoiningTokenizer(), JoiningTokenizer::kStart);
  EXPECT_EQ(continuation.ids, (std::vector<TokenId>{JoiningTokenizer::kStart, 3, JoiningTokenizer::kJoined, 3}));
  EXPECT_EQ(continuation.tokens, 2);
}

TEST(Continuation, HasATokenBeforeItWhenTheBorderJoinsTheWholePrompt) {
  const TokenId c = 3;
  const Continuation continuation = continuation_of("a", "b", JoiningTokenizer(), c);
  EXPECT_EQ(continuation.ids, (std::vector<TokenId>{c, JoiningTokenizer::kJoined}));
  EXPECT_EQ(continuation.tokens, 1);
}

// After "a", "b" has the logit ln 3 and every other token 0: p = 3 / (3 + V - 1). After "b" all are alike: p = 1 / V.
TEST_F(ContinuationOfLetters, LikelihoodIsTheOneWorkedOutByHand) {
  const TokenId a = tokenizer_->encode("a").front(), b = tokenizer_->encode("b").front();
  const LanguageModel model = scripted_model(V_, 8, {{{a, b}, std::log(3.0)}});
  const auto V = static_cast<double>(V_);
  EXPECT_NEAR(likelihood(model, "ca", "bc"), std::log(3.0 / (V + 2.0)) - std::log(V), 1e-4);
}

TEST_F(ContinuationOfLetters, LikelihoodIsTheProductOfTheProbabilitiesOfEachTokenAfterItsPredecessors) {
  for (const char* positions : {"learned", "rope", "alibi", "none"}) {
    LanguageModel model = random_model(V_, 16, positions);
    EXPECT_NEAR(likelihood(model, "abc", "cab\n"),
                std::log(product_of_probabilities(model, after_start("abccab\n"), 4)), 1e-4)
        << positions;
  }
}

TEST_F(ContinuationOfLetters, LikelihoodDependsOnEarlierTokensOnly) {
  const LanguageModel model = random_model(V_, 16, "learned");
  EXPECT_NEAR(likelihood(model, "ab", "cab"), likelihood(model, "ab", "ca") + likelihood(model, "abca", "b"), 1e-4);
}

TEST_F(ContinuationOfLetters, LikelihoodKeepsTheLastTokensThatTheContextHolds) {
  LanguageModel model = random_model(V_, 4, "learned");
  // Of START a b c a b c, the context holds four; "c" is predicted from "bcab".
  EXPECT_NEAR(likelihood(model, "abcab", "c"),
              std::log(product_of_probabilities(model, tokenizer_->encode("bcabc"), 4)), 1e-4);
}

TEST_F(ContinuationOfLetters, LikelihoodOfAsManyTokensAsTheContextNeedsOneBeforeThem) {
  LanguageModel model = random_model(V_, 3, "learned");
  EXPECT_NEAR(likelihood(model, "ca", "bca"), std::log(product_of_probabilities(model, tokenizer_->encode("abca"), 1)),
              1e-4);
}

TEST_F(ContinuationOfLetters, LikelihoodOfMoreTokensThanTheContextIsRefused) {
  const LanguageModel model = random_model(V_, 3, "learned");
  EXPECT_EQ(message_of<BadInput>([&] { likelihood(model, "a", "abca"); }),
            "a continuation of 4 tokens does not fit in the model's context of 3: shorten it or train with a larger "
            "--context");
}

}  // namespace
}  // namespace tinylm
