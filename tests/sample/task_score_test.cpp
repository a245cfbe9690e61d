#include "sample/task_score.h"

#include <cmath>

#include <gtest/gtest.h>

#include "sample/continuation.h"
#include "sample/samplers.h"
#include "sample/scripted_model.h"

namespace tinylm {
namespace {

using test::kLikely;
using test::Script;
using test::scripted_model;
using test::tokenizer_over;

TaskScore scored(const std::string& kind, double log_likelihood_nats, std::int64_t tokens, bool match) {
  TaskScore score;
  score.task.kind = kind;
  score.log_likelihood_nats = log_likelihood_nats;
  score.tokens = tokens;
  score.match = match;
  return score;
}

/// A greedy model over "abc": a -> b -> c -> a ..., changed by the test.
class Scorer : public ::testing::Test {
 protected:
  Scorer() {
    script_[{id("a"), id("b")}] = kLikely;
    script_[{id("b"), id("c")}] = kLikely;
    script_[{id("c"), id("a")}] = kLikely;
  }
  TokenId id(const std::string& letter) const { return tokenizer_->encode(letter).front(); }
  TaskScorer scorer(std::int64_t context = 8) const {
    return TaskScorer(scripted_model(tokenizer_->vocabulary_size(), context, script_), *tokenizer_, id("a"));
  }
  TaskScore score(const std::string& prompt, const std::vector<std::string>& accepted, std::int64_t context = 8) const {
    return scorer(context).score({prompt, accepted, "task"});
  }
  std::vector<std::string> problems(const Task& task, std::int64_t context = 8) const {
    Problems problems;
    scorer(context).check(task, problems);
    return problems.messages();
  }

  std::unique_ptr<Tokenizer> tokenizer_ = tokenizer_over("char", "abc");
  Script script_;
};

TEST_F(Scorer, MatchesWhenTheGreedyTextIsTheExpectedOne) {
  const TaskScore result = score("ca", {"bca"});
  EXPECT_TRUE(result.match);
  EXPECT_EQ(result.got, "bca");
  EXPECT_FALSE(result.ended);
}

TEST_F(Scorer, MatchesWhenTheGreedyTextBeginsWithAnyAcceptedOne) {
  const TaskScore result = score("a", {"cab", "b"});
  EXPECT_TRUE(result.match);
  EXPECT_EQ(result.got, "bca") << "as long as the longest accepted text";
}

TEST_F(Scorer, DoesNotMatchAnAcceptedTextThatComesLater) {
  const TaskScore result = score("a", {"ca"});
  EXPECT_FALSE(result.match);
  EXPECT_EQ(result.got, "bc");
}

TEST_F(Scorer, DoesNotMatchATextThatEndsWithinTheExpectedOne) {
  script_[{id("b"), tokenizer_->end_id()}] = 2 * kLikely;
  const TaskScore result = score("a", {"bc"});
  EXPECT_FALSE(result.match);
  EXPECT_EQ(result.got, "b");
  EXPECT_TRUE(result.ended);
}

TEST_F(Scorer, BeginsAnEmptyPromptFromTheGivenToken) {
  EXPECT_EQ(score("", {"bc"}).got, "bc");
}

TEST_F(Scorer, LeavesRoomInTheContextForTheLongestAcceptedText) {
  const TaskScore result = score("cabca", {"b", "bcab"}, /*context=*/4);
  EXPECT_EQ(result.got, "bcab");
}

// After "a", "b" has the logit ln 3 and every other token 0: p = 3 / (3 + V - 1).
TEST_F(Scorer, MeasuresTheFirstAcceptedTextWhateverIsGenerated) {
  script_[{id("a"), id("b")}] = std::log(3.0);
  script_[{id("a"), id("c")}] = std::log(9.0);
  const auto V = static_cast<double>(tokenizer_->vocabulary_size());
  const TaskScore result = score("a", {"b", "c"});
  EXPECT_EQ(result.got, "c");
  EXPECT_TRUE(result.match);
  EXPECT_NEAR(result.log_likelihood_nats, std::log(3.0 / (3.0 + 9.0 + V - 2.0)), 1e-4);
  EXPECT_EQ(result.tokens, 1);
}

TEST_F(Scorer, TakesTasksThatItCanScore) {
  EXPECT_EQ(problems({"", {"a", "bcabcabc"}, "task"}), std::vector<std::string>{});
}

TEST_F(Scorer, RefusesTextsThatTheTokenizerLacks) {
  const std::vector<std::string> messages = problems({"ax", {"a", "by"}, "task"});
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0].find("\"prompt\": character 'x' (U+0078) at byte offset 1"), 0U) << messages[0];
  EXPECT_EQ(messages[1].find("\"accepted\", text 2: character 'y' (U+0079) at byte offset 1"), 0U) << messages[1];
}

TEST_F(Scorer, RefusesAcceptedTextsThatTheContextCannotHold) {
  EXPECT_EQ(
      problems({"a", {"b", "bcabc"}, "task"}, /*context=*/4),
      std::vector<std::string>{"\"accepted\", text 2 has 5 tokens and the model's context holds 4: shorten it, or "
                               "take a run trained with a larger --context"});
}

TEST(Summarise, KeepsKindsApartInTheOrderOfTheirFirstAppearance) {
  const std::vector<KindSummary> kinds =
      summarise({scored("task", -1.0, 2, true), scored("fact", -8.0, 4, false), scored("task", -3.0, 6, false)});
  ASSERT_EQ(kinds.size(), 2U);
  EXPECT_EQ(kinds[0].kind, "task");
  EXPECT_EQ(kinds[0].items, 2);
  EXPECT_EQ(kinds[0].mean_nats_per_token, 4.0 / 8.0) << "every token counts alike, not every item";
  EXPECT_EQ(kinds[0].mean_total_nats, 4.0 / 2.0);
  EXPECT_EQ(kinds[0].exact_matches, 1);
  EXPECT_EQ(kinds[0].exact_match_rate, 0.5);
  EXPECT_EQ(kinds[1].kind, "fact");
  EXPECT_EQ(kinds[1].items, 1);
  EXPECT_EQ(kinds[1].mean_nats_per_token, 2.0);
  EXPECT_EQ(kinds[1].exact_match_rate, 0.0);
}

TEST(Summarise, GivesAPositiveZeroForWhatIsCertain) {
  EXPECT_FALSE(std::signbit(summarise({scored("task", 0.0, 1, true)}).front().mean_total_nats));
}

}  // namespace
}  // namespace tinylm
