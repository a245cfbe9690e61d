#include "train/dial.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/errors.h"
#include "train_test_support.h"

namespace tinylm {
namespace {

/// A dial on a machine of `flops` operations a second, of which a model needs 6 a parameter and token.
Dial dial_of(double seconds, double flops, std::vector<std::string> set_by_hand = {}) {
  Dial dial{.whole_s = seconds, .left_s = seconds};
  dial.is_free = [set_by_hand](const std::string& key) {
    return std::find(set_by_hand.begin(), set_by_hand.end(), key) == set_by_hand.end();
  };
  dial.measure_step_s = [flops](const ModelConfig& model, const TrainOptions& options, double) {
    const auto tokens = static_cast<double>(options.batch * model.context);
    return 6.0 * static_cast<double>(model.parameter_count()) * tokens / flops;
  };
  return dial;
}

struct Sizes {
  ModelConfig model;
  TrainOptions options;
  std::vector<DialChoice> choices;
};

Sizes sizes_for(const Dial& dial, std::int64_t train_tokens, ModelConfig model = {}) {
  Sizes sizes{model, {}, {}};
  sizes.model.vocabulary_size = 65;
  sizes.choices =
      choose_sizes(dial, train_tokens, std::min<std::int64_t>(10000, train_tokens / 10), sizes.model, sizes.options);
  return sizes;
}

TEST(Dial, TakesLargerModelsForMoreTimeAndFasterMachines) {
  std::int64_t last = 0;
  for (const double seconds : {5.0, 60.0, 300.0, 3600.0}) {
    const std::int64_t parameters = sizes_for(dial_of(seconds, 100e9), 1000000).model.parameter_count();
    EXPECT_GE(parameters, last) << seconds;
    EXPECT_LE(parameters, sizes_for(dial_of(seconds, 1e12), 1000000).model.parameter_count());
    last = parameters;
  }
  EXPECT_GT(last, 4000000);
}

TEST(Dial, TakesSmallModelsForSmallTexts) {
  EXPECT_LT(sizes_for(dial_of(3600, 1e12), 5000).model.parameter_count(), 200000);
  EXPECT_LT(sizes_for(dial_of(3600, 1e12), 100000).model.parameter_count(), 2000000);
}

TEST(Dial, DropsMoreTheOftenerATextIsRead) {
  EXPECT_EQ(sizes_for(dial_of(60, 100e9), 50000000).model.dropout, 0.0);
  EXPECT_GT(sizes_for(dial_of(600, 100e9), 400000).model.dropout, 0.0);
  EXPECT_EQ(sizes_for(dial_of(3600, 100e9), 20000).model.dropout, 0.2);
}

TEST(Dial, FillsTheTimeWithSteps) {
  const Sizes sizes = sizes_for(dial_of(100, 100e9), 1000000);
  const double step_s = dial_of(100, 100e9).measure_step_s(sizes.model, sizes.options, 0.0);
  EXPECT_GT(static_cast<double>(sizes.options.steps) * step_s, 80.0);
  EXPECT_LT(static_cast<double>(sizes.options.steps) * step_s, 100.0);
  EXPECT_GT(sizes.options.eval_every, 0);
  EXPECT_LT(sizes.options.eval_every, sizes.options.steps);
}

TEST(Dial, LeavesWhatWasSetByHand) {
  ModelConfig model;
  model.width = 96;
  model.context = 48;
  model.dropout = 0.3;
  const Sizes sizes = sizes_for(dial_of(300, 1e11, {"width", "context", "dropout"}), 1000000, model);
  EXPECT_EQ(sizes.model.width, 96);
  EXPECT_EQ(sizes.model.heads, 3);
  EXPECT_EQ(sizes.model.context, 48);
  EXPECT_EQ(sizes.model.dropout, 0.3);
  Problems problems;
  sizes.model.validate(problems);
  problems.throw_if_any();
}

TEST(Dial, FindsHeadsForAWidthAndAWidthForHeads) {
  const auto only = [](const std::string& set) { return [set](const std::string& key) { return key != set; }; };
  for (const std::int64_t width : {32, 64, 90, 100, 128, 192}) {
    ModelConfig model;
    model.width = width;
    fit_heads(only("width"), model);
    EXPECT_EQ(model.width, width);
    EXPECT_EQ(model.width % (2 * model.heads), 0) << width;
  }
  for (const std::int64_t heads : {1, 3, 6, 7}) {
    ModelConfig model;
    model.heads = heads;
    fit_heads(only("heads"), model);
    EXPECT_EQ(model.heads, heads);
    EXPECT_EQ(model.width % (2 * heads), 0) << heads;
    const Sizes sizes = sizes_for(dial_of(300, 1e11, {"heads"}), 1000000, model);
    EXPECT_EQ(sizes.model.heads, heads);
    EXPECT_EQ(sizes.model.width % (2 * heads), 0) << heads;
  }
}

TEST(Dial, TakesAShorterContextForATextOfFewWords) {
  const Sizes sizes = sizes_for(dial_of(5, 1e11), 12);
  EXPECT_EQ(sizes.model.context, 11);
  EXPECT_LT(sizes.model.parameter_count(), 20000);
}

TEST(Dial, GivesAReasonForEachChoice) {
  for (const DialChoice& choice : sizes_for(dial_of(300, 1e11), 1000000).choices) {
    EXPECT_EQ(choice.flags.rfind("--", 0), 0U) << choice.flags;
    EXPECT_GT(choice.reason.size(), 10U);
  }
}

TEST(Dial, RefusesATimeThatIsOverBeforeTheFirstStep) {
  Dial dial = dial_of(10, 1e11);
  dial.left_s = -2.0;
  expect_contains(test::message_of<WrongUse>([&] { sizes_for(dial, 1000000); }), "more --minutes");
}

TEST(Dial, HoldsOutLessOfALargeText) {
  TextOptions text;
  EXPECT_TRUE(choose_split(dial_of(60, 1e11), 1000000, text).empty());
  EXPECT_EQ(text.val_fraction, 0.1);
  EXPECT_EQ(choose_split(dial_of(60, 1e11), 1000000000, text).size(), 1U);
  EXPECT_LT(text.val_fraction, 0.001);
  TextOptions by_hand;
  EXPECT_TRUE(choose_split(dial_of(60, 1e11, {"val_fraction"}), 1000000000, by_hand).empty());
  EXPECT_EQ(by_hand.val_fraction, 0.1);
}

TEST(Dial, TakesPiecesOfWordsWhereCharactersAreMany) {
  TokenizerOptions tokenizer;
  EXPECT_TRUE(choose_tokenizer(dial_of(60, 1e11), 100, tokenizer).empty());
  EXPECT_EQ(choose_tokenizer(dial_of(60, 1e11), 3000, tokenizer).size(), 1U);
  EXPECT_EQ(tokenizer.tokenizer, "sentencepiece");
  TokenizerOptions by_hand;
  EXPECT_TRUE(choose_tokenizer(dial_of(60, 1e11, {"tokenizer"}), 3000, by_hand).empty());
  EXPECT_EQ(by_hand.tokenizer, "char");
}

}  // namespace
}  // namespace tinylm
