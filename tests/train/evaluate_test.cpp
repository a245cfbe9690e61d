#include "train/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/machine.h"
#include "train_test_support.h"

namespace tinylm {
namespace {

class Evaluate : public TrainingTest {
 protected:
  LanguageModel model_{small_model(), 9};
};

/// Loss of every token of `range` but the first, each window of 8 alone, softmax by hand in double.
double loss_by_hand(LanguageModel& model, const TokenRange& range) {
  const torch::NoGradGuard no_gradients;
  double total = 0.0;
  for (std::int64_t first = 0; first + 1 < range.count; first += 8) {
    const std::int64_t T = std::min<std::int64_t>(8, range.count - 1 - first);
    std::vector<std::int64_t> ids(T + 1);
    range.file->copy(range.first + first, T + 1, ids.data());
    const torch::Tensor logits = model->forward(torch::tensor(ids).slice(0, 0, T).unsqueeze(0))[0].to(torch::kFloat64);
    for (std::int64_t t = 0; t < T; ++t) {
      total += std::log(logits[t].exp().sum().item<double>()) - logits[t][ids[t + 1]].item<double>();
    }
  }
  return total / static_cast<double>(range.count - 1);
}

TEST_F(Evaluate, WeighsEveryTokenTheSame) {
  const EvaluationWindows windows(val(), 8);  // 60 tokens to predict: seven windows and a half
  EXPECT_NEAR(evaluate(model_, windows, 3), loss_by_hand(model_, val()), 1e-6);
}

TEST_F(Evaluate, DoesNotDependOnTheRowsAtATime) {
  const EvaluationWindows windows(val(), 8);
  const double one = evaluate(model_, windows, 1);
  for (const std::int64_t rows : {2, 5, 8, 100}) EXPECT_NEAR(evaluate(model_, windows, rows), one, 1e-6);
}

TEST_F(Evaluate, GivesTheSameNumberAgain) {
  const EvaluationWindows windows(val(), 8);
  EXPECT_EQ(evaluate(model_, windows, 4), evaluate(model_, windows, 4));
}

TEST_F(Evaluate, UsesAPartialWindowAlone) {
  TokenRange four = val();
  four.count = 4;
  EXPECT_NEAR(evaluate(model_, EvaluationWindows(four, 8), 4), loss_by_hand(model_, four), 1e-6);
}

TEST_F(Evaluate, IsNoNumberWhenNothingCanBePredicted) {
  EXPECT_TRUE(std::isnan(evaluate(model_, EvaluationWindows(nothing(), 8), 4)));
  TokenRange one = val();
  one.count = 1;
  EXPECT_TRUE(std::isnan(evaluate(model_, EvaluationWindows(one, 8), 4)));
}

TEST_F(Evaluate, LeavesGradientsAlone) {
  evaluate(model_, EvaluationWindows(val(), 8), 4);
  for (const auto& parameter : model_->parameters()) EXPECT_FALSE(parameter.grad().defined());
}

TEST_F(Evaluate, KeepsMemoryFlat) {
  const EvaluationWindows windows(val(), 8);
  for (int i = 0; i < 5; ++i) evaluate(model_, windows, 4);
  const std::uint64_t before = peak_resident_bytes();
  for (int i = 0; i < 100; ++i) evaluate(model_, windows, 4);
  EXPECT_LT(peak_resident_bytes() - before, 4'000'000u);
}

TEST(EvaluationRows, KeepTokensAndLogitsInBounds) {
  ModelConfig config;
  config.context = 64;
  config.vocabulary_size = 65;
  EXPECT_EQ(evaluation_rows(config), 16);  // 1024 tokens
  config.context = 256;
  config.vocabulary_size = 8000;
  EXPECT_EQ(evaluation_rows(config), 4);  // 2^23 / (256 * 8000)
  config.context = 1024;
  config.vocabulary_size = 50257;
  EXPECT_EQ(evaluation_rows(config), 1);
}

}  // namespace
}  // namespace tinylm
