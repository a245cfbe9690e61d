#include "inspect/causality.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/errors.h"
#include "sample/scripted_model.h"
#include "testing/models.h"

namespace tinylm {
namespace {

LoadedModel model_of(const ModelConfig& config) {
  LoadedModel loaded;
  loaded.model = LanguageModel(config, 1);
  return loaded;
}

TEST(Causality, HoldsForEveryConfiguration) {
  for (const ModelConfig& config : testing::varied_configs()) {
    LoadedModel loaded = model_of(config);
    const CausalityReport report = check_causality(loaded, {3, 1, 4, 1, 5, 9, 2, 6});
    EXPECT_TRUE(report.passed()) << testing::describe(config) << '\n' << causality_text(report);
    EXPECT_EQ(report.cuts, 7);
  }
}

TEST(Causality, FindsAModelThatSeesLaterTokens) {
  ModelConfig config = testing::small_config();
  config.attention_mask = MaskKind::kNone;
  LoadedModel loaded = model_of(config);
  const CausalityReport report = check_causality(loaded, {3, 1, 4, 1});
  EXPECT_FALSE(report.passed());
  EXPECT_EQ(report.leaks, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(report.weights_above_diagonal, 2 * 4 * 6);  // L H T (T - 1) / 2
  const std::string text = causality_text(report);
  EXPECT_NE(text.find("FAILED  earlier logits"), std::string::npos) << text;
  EXPECT_NE(text.find("3 of 3 cuts changed them, the first after token 0"), std::string::npos) << text;
  EXPECT_NE(text.find("FAILED  weights on later tokens are exactly 0: 48 are not"), std::string::npos) << text;
}

TEST(Causality, FailsOnRowsThatDoNotSumToOne) {
  CausalityReport report;
  EXPECT_TRUE(report.passed());
  report.largest_sum_error = 2e-6;
  EXPECT_FALSE(report.passed());
  EXPECT_NE(
      causality_text(report).find("FAILED  attention weights of every row sum to one: largest difference 2.0e-06"),
      std::string::npos);
}

TEST(Causality, FailsOnWeightsThatAreNoNumbers) {
  LoadedModel loaded = model_of(testing::small_config());
  {
    const torch::NoGradGuard no_gradients;
    loaded.model->named_parameters()["token_embedding.weight"][6].fill_(std::numeric_limits<double>::quiet_NaN());
  }
  const CausalityReport report = check_causality(loaded, {3, 1, 6});
  EXPECT_FALSE(report.passed());
  EXPECT_TRUE(std::isinf(report.largest_sum_error));
}

TEST(Causality, NeedsTwoTokensAndNoMoreThanTheContext) {
  LoadedModel loaded = model_of(testing::small_config());
  for (const std::size_t T : {1, 17}) {
    try {
      check_causality(loaded, std::vector<TokenId>(T, 2));
      ADD_FAILURE() << "expected BadInput";
    } catch (const BadInput& error) {
      EXPECT_EQ(error.what(), "causality is checked on 2 to 16 tokens (the model's context), and the text has " +
                                  std::to_string(T) + "; give another --prompt");
    }
  }
}

}  // namespace
}  // namespace tinylm
