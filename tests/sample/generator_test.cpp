#include "sample/generator.h"

#include <csignal>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "core/errors.h"
#include "core/signals.h"
#include "core/utf8.h"
#include "sample/samplers.h"
#include "sample/scripted_model.h"

namespace tinylm {
namespace {

using test::at_most;
using test::drawing;
using test::greedy;
using test::kLikely;
using test::random_model;
using test::Script;
using test::scripted_model;
using test::tokenizer_over;

/// A greedy model over "abc": a -> b -> c -> a ..., changed by the test.
class Letters : public ::testing::Test {
 protected:
  Letters() {
    script_[{a_, b_}] = kLikely;
    script_[{b_, c_}] = kLikely;
    script_[{c_, a_}] = kLikely;
  }
  TokenId id(const std::string& letter) const { return tokenizer_->encode(letter).front(); }
  Generator generator(std::int64_t context = 8) const {
    return Generator(scripted_model(tokenizer_->vocabulary_size(), context, script_), *tokenizer_, greedy(), a_);
  }
  Generated generate(const GenerateOptions& options, std::int64_t context = 8) const {
    return generator(context).generate({a_}, 0, options);
  }

  std::unique_ptr<Tokenizer> tokenizer_ = tokenizer_over("char", "abc");
  TokenId a_ = id("a"), b_ = id("b"), c_ = id("c");
  Script script_;
};

TEST_F(Letters, MaxTokensEndsWithLength) {
  const Generated generated = generate(at_most(4));
  EXPECT_EQ(generated.text, "bcab");
  EXPECT_EQ(generated.ids, (std::vector<TokenId>{b_, c_, a_, b_}));
  EXPECT_EQ(generated.finish_reason, FinishReason::kLength);
}

TEST_F(Letters, EnoughBytesEndWithLength) {
  GenerateOptions options = at_most(50);
  options.enough_bytes = 3;
  const Generated generated = generate(options);
  EXPECT_EQ(generated.text, "bca");
  EXPECT_EQ(generated.finish_reason, FinishReason::kLength);
}

TEST_F(Letters, EndTokenEndsTheTextAndIsTheLastId) {
  script_[{c_, tokenizer_->end_id()}] = 2 * kLikely;
  const Generated generated = generate(at_most(50));
  EXPECT_EQ(generated.text, "bc");
  EXPECT_EQ(generated.ids, (std::vector<TokenId>{b_, c_, tokenizer_->end_id()}));
  EXPECT_EQ(generated.log_probabilities.size(), 3U);
  EXPECT_EQ(generated.finish_reason, FinishReason::kEnd);
}

TEST_F(Letters, NeverGeneratesStartHoweverLikely) {
  for (const TokenId last : {a_, b_, c_}) script_[{last, tokenizer_->start_id()}] = 2 * kLikely;
  EXPECT_EQ(generate(at_most(5)).text, "bcabc");
}

TEST_F(Letters, StopTextAcrossTokensIsNotPartOfTheText) {
  GenerateOptions options = at_most(50);
  options.stop = {"cab"};
  std::string streamed;
  const Generated generated =
      generator().generate({a_}, 0, options, [&](std::string_view piece) { streamed += piece; });
  EXPECT_EQ(generated.text, "b");
  EXPECT_EQ(streamed, "b");
  EXPECT_EQ(generated.ids.size(), 4U);
  EXPECT_EQ(generated.finish_reason, FinishReason::kStop);
}

TEST_F(Letters, TextHeldBackForAStopTextIsGivenAtTheEnd) {
  GenerateOptions options = at_most(3);
  options.stop = {"cabx"};
  std::vector<std::string> pieces;
  const Generated generated =
      generator().generate({a_}, 0, options, [&](std::string_view piece) { pieces.emplace_back(piece); });
  EXPECT_EQ(generated.text, "bca");
  EXPECT_EQ(pieces, (std::vector<std::string>{"b", "ca"}));
}

TEST_F(Letters, SlidingGoesOnBeyondTheContext) {
  const Generated generated = generate(at_most(20), /*context=*/4);
  EXPECT_EQ(generated.text, "bcabcabcabcabcabcabc");
  EXPECT_EQ(generated.finish_reason, FinishReason::kLength);
}

TEST_F(Letters, SlidingWorksWithAContextOfOne) {
  EXPECT_EQ(generate(at_most(5), 1).text, "bcabc");
}

TEST_F(Letters, OverflowStopEndsWhereTheNextTokenNoLongerFits) {
  GenerateOptions options = at_most(20);
  options.overflow = Overflow::kStop;
  const Generated generated = generate(options, /*context=*/4);
  EXPECT_EQ(generated.text, "bcab");  // the last one is predicted from a full window of a, b, c, a
  EXPECT_EQ(generated.finish_reason, FinishReason::kLength);
}

TEST_F(Letters, TimeLimitReturnsWhatThereIs) {
  GenerateOptions options = at_most(1000);
  options.max_time = 0.05;
  const Generated generated = generator().generate(
      {a_}, 0, options, [](std::string_view) { std::this_thread::sleep_for(std::chrono::milliseconds(60)); });
  EXPECT_EQ(generated.text, "b");
  EXPECT_EQ(generated.finish_reason, FinishReason::kTime);
}

TEST_F(Letters, StopSignalReturnsWhatThereIs) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";  // the signal stays set: ask for it in a process of its own
  const auto interrupted = [&] {
    catch_stop_signals();
    const Generated generated = generator().generate({a_}, 0, at_most(1000), [](std::string_view piece) {
      if (piece == "c") std::raise(SIGINT);
    });
    std::_Exit(generated.text == "bc" && generated.finish_reason == FinishReason::kTime ? 0 : 1);
  };
  EXPECT_EXIT(interrupted(), ::testing::ExitedWithCode(0), "");
}

TEST_F(Letters, RefusesAnEmptyOrTooLongPrompt) {
  Generator letters = generator(/*context=*/2);
  EXPECT_THROW(letters.generate({}, 0, at_most(1)), BadInput);
  try {
    letters.generate({a_, b_, c_}, 0, at_most(1));
    FAIL() << "expected BadInput";
  } catch (const BadInput& error) {
    EXPECT_STREQ(error.what(), "a prompt of 3 tokens cannot be continued: expected 1 to 2, the model's context");
  }
}

TEST_F(Letters, RefusesATokenizerOfAnotherVocabulary) {
  const auto other = tokenizer_over("char", "abcd");
  try {
    const Generator mixed(scripted_model(tokenizer_->vocabulary_size(), 4, script_), *other, greedy(), a_);
    FAIL() << "expected BadInput";
  } catch (const BadInput& error) {
    EXPECT_STREQ(error.what(), "the model knows 5 tokens and the tokenizer 6: they must come from the same run");
  }
}

TEST_F(Letters, RefusesAModelThatWasShownTheAnswers) {
  ModelConfig config = scripted_model(tokenizer_->vocabulary_size(), 4, script_)->config();
  config.attention_mask = MaskKind::kNone;
  try {
    const Generator refused(LanguageModel(config, 1), *tokenizer_, greedy(), a_);
    FAIL() << "expected WrongUse";
  } catch (const WrongUse& error) {
    EXPECT_NE(std::string(error.what()).find("attention_mask none"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("train a model without that setting"), std::string::npos);
  }
}

TEST_F(Letters, PutsTheModelIntoEvaluationMode) {
  LanguageModel model = scripted_model(tokenizer_->vocabulary_size(), 4, script_);
  model->train();
  const Generator used(model, *tokenizer_, greedy(), a_);
  EXPECT_FALSE(model->is_training());
}

TEST(Generator, TextIsTheSameWithAndWithoutCacheForEveryPosition) {
  const auto tokenizer = tokenizer_over("char", "abcdefghij klmnopqrst\n");
  for (const std::string positions : {"learned", "sinusoidal", "rope", "alibi", "none"}) {
    for (const Sampler& sampler : {greedy(), drawing(3)}) {
      Generator generator(random_model(tokenizer->vocabulary_size(), 16, positions), *tokenizer, sampler, 0);
      const std::vector<TokenId> prompt = generator.prompt_ids("bad cab");
      GenerateOptions options = at_most(60);  // slides several times
      const Generated cached = generator.generate(prompt, 0, options);
      options.use_cache = false;
      const Generated whole = generator.generate(prompt, 0, options);
      EXPECT_EQ(cached.ids, whole.ids) << positions;
      EXPECT_EQ(cached.text, whole.text) << positions;
    }
  }
}

TEST(Generator, LogProbabilitiesAreThoseOfTheModel) {
  const auto tokenizer = tokenizer_over("char", "abcdefgh");
  LanguageModel model = random_model(tokenizer->vocabulary_size(), 16, "learned");
  Generator generator(model, *tokenizer, drawing(1), 0);
  std::vector<TokenId> ids = generator.prompt_ids("abc");
  const Generated generated = generator.generate(ids, 0, at_most(8));
  ids.insert(ids.end(), generated.ids.begin(), generated.ids.end() - 1);
  const torch::Tensor inputs = torch::tensor(std::vector<std::int64_t>(ids.begin(), ids.end())).unsqueeze(0);
  const torch::Tensor expected = torch::log_softmax(model->forward(inputs), -1)[0];  // [T, V]
  for (std::size_t n = 0; n < generated.ids.size(); ++n) {
    const auto row = static_cast<std::int64_t>(2 + n);  // position 2, the prompt's last, predicts the first new token
    EXPECT_NEAR(generated.log_probabilities[n], expected[row][generated.ids[n]].item<double>(), 1e-4) << n;
  }
}

TEST(Generator, SameSeedGivesTheSameTextWhateverElseWasGenerated) {
  const auto tokenizer = tokenizer_over("byte", "x");
  LanguageModel model = random_model(tokenizer->vocabulary_size(), 16, "rope");
  Generator first(model, *tokenizer, drawing(9), 0);
  const std::vector<TokenId> prompt = first.prompt_ids("x");
  first.generate(prompt, 0, at_most(20));
  const Generated after_another = first.generate(prompt, 1, at_most(20));
  std::string streamed;
  Generator second(model, *tokenizer, drawing(9), 0);
  const Generated alone = second.generate(prompt, 1, at_most(20), [&](std::string_view piece) { streamed += piece; });
  EXPECT_EQ(alone.ids, after_another.ids);
  EXPECT_EQ(streamed, after_another.text);
  EXPECT_NE(Generator(model, *tokenizer, drawing(10), 0).generate(prompt, 1, at_most(20)).ids, alone.ids);
}

TEST(Generator, StreamsWholeCharactersOnly) {
  const auto tokenizer = tokenizer_over("byte", "x");
  const std::vector<TokenId> snowman = tokenizer->encode("\u2603");  // three bytes
  Script script;
  script[{tokenizer->encode("x").front(), snowman[0]}] = kLikely;
  script[{snowman[0], snowman[1]}] = kLikely;
  script[{snowman[1], snowman[2]}] = kLikely;
  script[{snowman[2], snowman[0]}] = kLikely;
  Generator generator(scripted_model(tokenizer->vocabulary_size(), 16, script), *tokenizer, greedy(), 0);
  std::vector<std::string> pieces;
  const Generated generated = generator.generate(tokenizer->encode("x"), 0, at_most(5),
                                                 [&](std::string_view piece) { pieces.emplace_back(piece); });
  EXPECT_EQ(pieces, (std::vector<std::string>{"\u2603", "\uFFFD"}));  // two of three bytes were left at the end
  EXPECT_EQ(generated.text, "\u2603\uFFFD");
}

TEST(Generator, TextIsValidUtf8WhateverBytesAreDrawn) {
  const auto tokenizer = tokenizer_over("byte", "x");
  Generator generator(random_model(tokenizer->vocabulary_size(), 16, "none"), *tokenizer, drawing(2), 0);
  std::string streamed;
  const Generated generated = generator.generate({65}, 0, at_most(200), [&](std::string_view piece) {
    EXPECT_FALSE(utf8::find_invalid(piece));
    streamed += piece;
  });
  EXPECT_EQ(streamed, generated.text);
}

TEST_F(Letters, RefusesOptionsThatDoNotValidate) {
  GenerateOptions options;
  options.max_time = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(generate(options), WrongUse);
}

}  // namespace
}  // namespace tinylm
