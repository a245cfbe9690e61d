#include "train/step_operations.h"

#include <gtest/gtest.h>

#include "testing/models.h"

namespace tinylm {
namespace {

using Counts = std::map<std::string, std::int64_t>;

TEST(StepOperations, AreAllFusedForEveryChoice) {
  for (const ModelConfig& config : testing::varied_configs()) {
    const StepOperations operations = step_operations(LanguageModel(config, 1));
    EXPECT_EQ(operations.composed, Counts{}) << testing::describe(config) << operations.text();
    EXPECT_EQ(operations.fused.at("AttentionSublayer"), config.layers);
    EXPECT_EQ(operations.fused.at("FeedForward"), config.layers);
    EXPECT_EQ(operations.fused.at("ProjectedLoss"), 1);
  }
}

TEST(StepOperations, StayFusedWithDropoutAndAContextOfOne) {
  ModelConfig config = testing::small_config();
  config.dropout = 0.1;
  config.context = 1;
  EXPECT_EQ(step_operations(LanguageModel(config, 1)).composed, Counts{});
}

TEST(StepOperations, AreLibtorchsWhereDefinitionsAreAskedFor) {
  const StepOperations operations = step_operations(LanguageModel(testing::small_config(), 1, Ops::kPlain));
  EXPECT_EQ(operations.fused, Counts{});
  EXPECT_GT(operations.composed.size(), 5U);
  EXPECT_NE(operations.text().find("fused: nothing; composed: "), std::string::npos) << operations.text();
}

}  // namespace
}  // namespace tinylm
