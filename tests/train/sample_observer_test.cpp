#include "train/sample_observer.h"

#include <gtest/gtest.h>

#include "core/errors.h"
#include "core/files.h"
#include "sample/scripted_model.h"
#include "test_support.h"

namespace tinylm {
namespace {

constexpr const char* kText = "abcdefghij\n";

class Samples : public ::testing::Test {
 protected:
  SampleObserver observer(SampleTimes times, std::int64_t step = 0) {
    return SampleObserver(file_, step, model_, *tokenizer_, 0, times, /*seed=*/3);
  }
  static StepReport step(std::int64_t number, bool evaluated = false) {
    StepReport report;
    report.step = report.state.step = number;
    report.evaluated = evaluated;
    return report;
  }
  std::vector<std::int64_t> steps() const {
    std::vector<std::int64_t> all;
    for (const TrainingSample& sample : read_samples(file_)) all.push_back(sample.step);
    return all;
  }

  std::filesystem::path file_ = test::fresh_folder() / "samples.jsonl";
  std::unique_ptr<Tokenizer> tokenizer_ = test::tokenizer_over("char", kText);
  LanguageModel model_ = test::random_model(tokenizer_->vocabulary_size(), 16, "rope");
};

TEST_F(Samples, AreDrawnAtEvaluationsOrEveryFewStepsOrNever) {
  SampleObserver at_evaluations = observer({});
  for (std::int64_t n = 1; n <= 6; ++n) at_evaluations.on_step(step(n, n == 4));
  EXPECT_EQ(steps(), (std::vector<std::int64_t>{4}));
  SampleObserver every_third = observer({3});
  for (std::int64_t n = 1; n <= 6; ++n) every_third.on_step(step(n, n == 4));
  EXPECT_EQ(steps(), (std::vector<std::int64_t>{3, 6}));
  SampleObserver never = observer({0});
  for (std::int64_t n = 1; n <= 6; ++n) never.on_step(step(n, n == 4));
  EXPECT_EQ(steps(), (std::vector<std::int64_t>{}));
}

TEST_F(Samples, OfAStepAreTheSameWhateverWasDrawnBefore) {
  SampleObserver often = observer({1});
  for (std::int64_t n = 1; n <= 3; ++n) often.on_step(step(n));
  const std::vector<TrainingSample> all = read_samples(file_);
  SampleObserver once = observer({3});
  once.on_step(step(3));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_NE(all[1].text, all[2].text);
  EXPECT_EQ(read_samples(file_).at(0).text, all[2].text);
}

TEST_F(Samples, LeaveNoCopyOfTheWeightsBehind) {
  SampleObserver each = observer({1});
  each.on_step(step(1));
  EXPECT_EQ(steps().size(), 1u);
  EXPECT_FALSE(model_->keeps_decoder());
}

TEST_F(Samples, LeaveTheModelInItsMode) {
  SampleObserver every = observer({1});
  model_->train();
  every.on_step(step(1));
  EXPECT_TRUE(model_->is_training());
  model_->eval();
  every.on_step(step(2));
  EXPECT_FALSE(model_->is_training());
}

TEST_F(Samples, OfAResumedRunGoOnAfterItsStep) {
  SampleObserver every = observer({1});
  for (std::int64_t n = 1; n <= 4; ++n) every.on_step(step(n));
  SampleObserver resumed = observer({1}, 2);
  resumed.on_step(step(3));
  EXPECT_EQ(steps(), (std::vector<std::int64_t>{1, 2, 3}));
}

TEST_F(Samples, NeedAModelThatCanWrite) {
  ModelConfig config = model_->config();
  config.attention_mask = MaskKind::kNone;
  const LanguageModel blind(config, 1);
  const auto make = [&](SampleTimes times) { SampleObserver(file_, 0, blind, *tokenizer_, 0, times, 1); };
  EXPECT_NE(test::message_of<WrongUse>([&] { make({}); }).find("--sample-every 0"), std::string::npos);
  EXPECT_NO_THROW(make({0}));
}

TEST(SampleFile, ReadsBackAnyText) {
  const auto file = test::fresh_folder() / "samples.jsonl";
  const TrainingSample sample{5, "a \"prompt\"", "</script>\n\x01\xC3\xA9"};
  write_atomically(file, sample_line(sample) + "\nnonsense\n{\"step\":6}\n{\"step\":7,\"prompt\":\"\",\"text\":3}\n" +
                             sample_line({8, "", "not utf-8: \xff"}) + "\n{\"step\":9,\"pro");
  const std::vector<TrainingSample> all = read_samples(file);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].prompt, sample.prompt);
  EXPECT_EQ(all[0].text, sample.text);
  EXPECT_EQ(all[1].text, "not utf-8: \xEF\xBF\xBD");
}

}  // namespace
}  // namespace tinylm
