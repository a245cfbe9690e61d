// Beam search against the likeliest of all texts, found by listing them.
#include "sample/beam_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/errors.h"
#include "sample/samplers.h"
#include "sample/scripted_model.h"

namespace tinylm {
namespace {

using test::at_most;
using test::drawing;
using test::random_model;
using test::tokenizer_over;

struct Listed {
  std::vector<TokenId> ids;
  double score = 0.0;
};

/// All texts of at most `most` tokens after a prompt, the best first: END ends one early. Without cache or beams: every
/// token costs a forward pass of the whole text.
class Exhaustive {
 public:
  Exhaustive(Generator& generator, const Tokenizer& tokenizer, std::int64_t most, double penalty)
      : generator_(generator), tokenizer_(tokenizer), most_(most), penalty_(penalty) {}

  std::vector<Listed> texts(const std::vector<TokenId>& prompt) {
    prompt_ = prompt;
    extend({}, 0.0);
    std::stable_sort(all_.begin(), all_.end(), [](const Listed& a, const Listed& b) { return a.score > b.score; });
    return all_;
  }

 private:
  void extend(const std::vector<TokenId>& text, double sum) {
    std::vector<TokenId> ids = prompt_;
    ids.insert(ids.end(), text.begin(), text.end());
    const std::vector<float> logits = generator_.next_logits(ids);
    double total = 0.0;  // START is banned: the others share its probability
    for (TokenId id = 0; id < tokenizer_.vocabulary_size(); ++id)
      if (id != tokenizer_.start_id()) total += std::exp(static_cast<double>(logits[id]));
    for (TokenId id = 0; id < tokenizer_.vocabulary_size(); ++id) {
      if (id == tokenizer_.start_id()) continue;
      std::vector<TokenId> longer = text;
      longer.push_back(id);
      const double likelihood = sum + logits[id] - std::log(total);
      const auto tokens = static_cast<double>(longer.size());
      if (id == tokenizer_.end_id() || static_cast<std::int64_t>(longer.size()) == most_)
        all_.push_back({longer, likelihood / std::pow((5.0 + tokens) / 6.0, penalty_)});
      else
        extend(longer, likelihood);
    }
  }

  Generator& generator_;
  const Tokenizer& tokenizer_;
  std::int64_t most_;
  double penalty_;
  std::vector<TokenId> prompt_;
  std::vector<Listed> all_;
};

class Beams : public ::testing::Test {
 protected:
  GenerateOptions options(std::int64_t beams, std::int64_t tokens, double penalty = 0.6) const {
    GenerateOptions options = at_most(tokens);
    options.beams = beams;
    options.length_penalty = penalty;
    return options;
  }
  Generator generator(const Sampler& sampler = drawing(1), std::int64_t context = 16) const {
    return Generator(random_model(tokenizer_->vocabulary_size(), context, "rope"), *tokenizer_, sampler, 0);
  }

  std::unique_ptr<Tokenizer> tokenizer_ = tokenizer_over("char", "abc");  // V = 5
};

TEST_F(Beams, FindTheBestTextsOfAllWhereTheyAreManyEnough) {
  for (const double penalty : {0.0, 0.6, 2.0}) {
    Generator searching = generator();
    const std::vector<TokenId> prompt = searching.prompt_ids("ab");
    const std::vector<Listed> all = Exhaustive(searching, *tokenizer_, 3, penalty).texts(prompt);
    const std::vector<Generated> found = searching.generate_all(prompt, 0, 20, options(64, 3, penalty));
    ASSERT_EQ(found.size(), 20U);
    for (std::size_t rank = 0; rank < found.size(); ++rank) EXPECT_EQ(found[rank].ids, all[rank].ids) << rank;
  }
}

TEST_F(Beams, OfThreeFindATextAtLeastAsLikelyAsGreedyAndNoLikelierThanTheBest) {
  Generator searching = generator();
  const std::vector<TokenId> prompt = searching.prompt_ids("c");
  const auto sum = [](const Generated& text) {
    double total = 0.0;
    for (const double p : text.log_probabilities) total += p;
    return total;
  };
  const Generated beam = searching.generate(prompt, 0, options(3, 5, 0.0));
  Generator greedy_one = generator(test::greedy());
  EXPECT_GE(sum(beam), sum(greedy_one.generate(prompt, 0, at_most(5))));
}

/// From "a", b has 0.6 and c 0.4; b is followed by a or c with even chances, c by a for certain.
TEST_F(Beams, PreferALikelyTextThatBeginsUnlikely) {
  const TokenId a = tokenizer_->encode("a")[0], b = tokenizer_->encode("b")[0], c = tokenizer_->encode("c")[0];
  const test::Script script = {
      {{a, b}, 30 + std::log(0.6)}, {{a, c}, 30 + std::log(0.4)}, {{b, a}, 30.0}, {{b, c}, 30.0}, {{c, a}, 30.0}};
  Generator searching(test::scripted_model(tokenizer_->vocabulary_size(), 8, script), *tokenizer_, drawing(1), a);
  EXPECT_EQ(searching.generate({a}, 0, options(2, 2)).text, "ca");  // 0.4, against 0.3
  Generator greedy_one(test::scripted_model(tokenizer_->vocabulary_size(), 8, script), *tokenizer_, test::greedy(), a);
  EXPECT_EQ(greedy_one.generate({a}, 0, at_most(2)).text, "ba");
}

TEST_F(Beams, FindTheSameWithAndWithoutCacheBeyondTheContext) {
  for (const std::int64_t context : {16, 4}) {
    Generator searching = generator(drawing(1), context);
    const std::vector<TokenId> prompt = searching.prompt_ids("ab");
    GenerateOptions search = options(4, 12);
    std::vector<Generated> cached = searching.generate_all(prompt, 0, 4, search);
    search.use_cache = false;
    std::vector<Generated> whole = searching.generate_all(prompt, 0, 4, search);
    ASSERT_EQ(cached.size(), whole.size());
    for (std::size_t rank = 0; rank < cached.size(); ++rank) EXPECT_EQ(cached[rank].ids, whole[rank].ids) << rank;
  }
}

TEST_F(Beams, DoNotDependOnTheSeedOrTheDrawsSettings) {
  SamplerOptions wild;
  wild.temperature = 9.0;
  wild.top_k = 1;
  wild.seed = 5;
  Generator one = generator(drawing(1)), other = generator(Sampler(wild));
  EXPECT_EQ(one.generate({2}, 0, options(3, 6)).ids, other.generate({2}, 0, options(3, 6)).ids);
}

TEST_F(Beams, LengthPenaltyLetsLongTextsWin) {
  // END has 0.5 after each token, the rest is even between the three letters: with 0 the text that ends at once is the
  // likeliest of all; with much, a longer one.
  test::Script script;
  for (TokenId last = 0; last < tokenizer_->vocabulary_size(); ++last) {
    script[{last, tokenizer_->end_id()}] = std::log(3.0);
    script[{last, tokenizer_->start_id()}] = -30.0;
  }
  Generator searching(test::scripted_model(tokenizer_->vocabulary_size(), 8, script), *tokenizer_, drawing(1), 0);
  EXPECT_EQ(searching.generate({2}, 0, options(3, 5, 0.0)).ids.size(), 1U);
  EXPECT_EQ(searching.generate({2}, 0, options(3, 5, 5.0)).ids.size(), 5U);
  EXPECT_DOUBLE_EQ(length_divisor(7, 1.0), 2.0);
  EXPECT_DOUBLE_EQ(length_divisor(1, 0.6), 1.0);
}

TEST_F(Beams, KeepToBansBiasesAndForcedTokens) {
  TokenRules rules;
  const TokenId a = tokenizer_->encode("a")[0], b = tokenizer_->encode("b")[0];
  rules.banned = {tokenizer_->end_id(), a};
  rules.forced = {b, b};
  Generator searching = generator(Sampler(SamplerOptions{}, rules));
  for (const Generated& text : searching.generate_all({a}, 0, 8, options(8, 6))) {
    EXPECT_EQ(text.ids.size(), 6U);
    EXPECT_EQ(text.text.substr(0, 2), "bb");
    EXPECT_EQ(text.text.find('a'), std::string::npos);
  }
  rules = {};
  rules.biases = {{a, 1000.0}};
  Generator biased = generator(Sampler(SamplerOptions{}, rules));
  EXPECT_EQ(biased.generate({a}, 0, options(2, 4)).text, "aaaa");
}

TEST_F(Beams, EndAtAStopTextWhichIsNotShown) {
  Generator searching = generator();
  GenerateOptions search = options(64, 4);
  search.stop = {"bc"};
  std::size_t stopped = 0;
  for (const Generated& text : searching.generate_all({2}, 0, 64, search)) {
    EXPECT_EQ(text.text.find("bc"), std::string::npos);
    if (text.finish_reason != FinishReason::kStop) continue;
    ++stopped;
    EXPECT_TRUE(tokenizer_->decode(text.ids).ends_with("bc"));
  }
  EXPECT_GT(stopped, 0U);
}

TEST_F(Beams, TellOfTheBestTextsWhenTheSearchIsOver) {
  Generator searching = generator();
  std::vector<std::string> pieces(3);
  std::vector<std::uint64_t> ended;
  const std::vector<Generated> texts = searching.generate_all(
      {2}, 0, 3, options(4, 6),
      {.on_text = [&](std::uint64_t sample, std::string_view piece) { pieces.at(sample) += piece; },
       .on_end = [&](std::uint64_t sample) { ended.push_back(sample); }});
  for (std::size_t rank = 0; rank < 3; ++rank) EXPECT_EQ(pieces[rank], texts[rank].text);
  EXPECT_EQ(ended, (std::vector<std::uint64_t>{0, 1, 2}));
}

TEST_F(Beams, RefuseMoreTextsThanTheyFind) {
  Generator searching = generator();
  try {
    searching.generate_all({2}, 0, 5, options(4, 6));
    FAIL() << "expected WrongUse";
  } catch (const WrongUse& error) {
    EXPECT_STREQ(error.what(),
                 "5 texts were asked of 4 beams, which find no more than 4: raise beams, or ask for fewer");
  }
}

}  // namespace
}  // namespace tinylm
