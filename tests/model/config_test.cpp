#include "model/config.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/errors.h"
#include "core/option_table.h"
#include "model/model.h"
#include "testing/models.h"

namespace tinylm {
namespace {

using tinylm::testing::small_config;

std::vector<std::string> problems_of(const ModelConfig& config) {
  Problems problems;
  config.validate(problems);
  return problems.messages();
}

template <class Change>
std::vector<std::string> problems_after(Change change) {
  ModelConfig config = small_config();
  change(config);
  return problems_of(config);
}

using Messages = std::vector<std::string>;

TEST(ModelConfig, AcceptsEveryVariedConfiguration) {
  for (const ModelConfig& config : testing::varied_configs())
    EXPECT_EQ(problems_of(config), Messages{}) << testing::describe(config);
}

TEST(ModelConfig, NamesFieldValueAndLimitOfSizes) {
  EXPECT_EQ(problems_after([](ModelConfig& c) { c.vocabulary_size = 0; }),
            Messages{"vocabulary_size must be between 1 and 2147483648, found 0"});
  EXPECT_EQ(problems_after([](ModelConfig& c) { c.context = 0; }),
            Messages{"context must be between 1 and 1048576, found 0"});
  EXPECT_EQ(problems_after([](ModelConfig& c) { c.layers = -1; }),
            Messages{"layers must be between 1 and 4096, found -1"});
  EXPECT_EQ(problems_after([](ModelConfig& c) { c.heads = 0; }),
            Messages{"heads must be between 1 and 65536, found 0"});
  EXPECT_EQ(problems_after([](ModelConfig& c) { c.kv_heads = -2; }),
            Messages{"kv_heads must be between 0 and 65536, found -2"});
  EXPECT_EQ(problems_after([](ModelConfig& c) { c.width = 0; }),
            Messages{"width must be between 1 and 65536, found 0"});
  EXPECT_EQ(problems_after([](ModelConfig& c) { c.feed_forward_width = -8; }),
            Messages{"feed_forward_width must be between 0 and 1048576, found -8"});
}

TEST(ModelConfig, RefusesDropoutOutsideZeroToOne) {
  EXPECT_EQ(problems_after([](ModelConfig& c) { c.dropout = 1.0; }),
            Messages{"dropout must be at least 0 and below 1, found 1.0"});
  EXPECT_EQ(problems_after([](ModelConfig& c) { c.dropout = -0.1; }),
            Messages{"dropout must be at least 0 and below 1, found -0.1"});
}

TEST(ModelConfig, RefusesHeadsThatDoNotDivide) {
  EXPECT_EQ(problems_after([](ModelConfig& c) { c.width = 30; }),
            Messages{"width must be a multiple of heads, found width 30 and heads 4"});
  EXPECT_EQ(problems_after([](ModelConfig& c) { c.kv_heads = 3; }),
            Messages{"heads must be a multiple of kv_heads, found heads 4 and kv_heads 3"});
}

TEST(ModelConfig, RefusesRopeWithAnOddHeadSize) {
  EXPECT_EQ(
      problems_after([](ModelConfig& c) { c.positions = "rope", c.width = 36; }),
      Messages{"positions rope turns pairs of numbers and needs an even head size, but width 36 / heads 4 is 9: choose "
               "another width or number of heads"});
}

TEST(ModelConfig, RefusesUnknownPositions) {
  EXPECT_EQ(problems_after([](ModelConfig& c) { c.positions = "rotary"; }),
            Messages{"positions must be one of learned, sinusoidal, rope, alibi, none; found \"rotary\""});
}

TEST(ModelConfig, ReportsAllProblemsAtOnce) {
  EXPECT_EQ(problems_after([](ModelConfig& c) { c.context = 0, c.dropout = 2.0, c.width = 30; }).size(), 3U);
}

TEST(ModelConfig, FeedForwardWidthFollowsTheWidth) {
  ModelConfig config = small_config();
  config.width = 384;
  EXPECT_EQ(config.hidden_width(), 1536);
  config.activation = ActivationKind::kSwiGlu;
  EXPECT_EQ(config.hidden_width(), 1024);  // 8/3 of 384
  config.width = 128;
  EXPECT_EQ(config.hidden_width(), 344);  // 341.3, up to a multiple of 8
  config.feed_forward_width = 100;
  EXPECT_EQ(config.hidden_width(), 100);
}

TEST(ModelConfig, CountsTheParametersOfGpt2) {
  ModelConfig config;
  config.vocabulary_size = 50257;
  config.context = 1024;
  config.layers = 12;
  config.heads = 12;
  config.width = 768;
  config.bias = true;
  EXPECT_EQ(config.parameter_count(), 124439808);  // as published for the smallest GPT-2
}

TEST(ModelConfig, CountsWhatTheModuleHas) {
  for (const ModelConfig& config : testing::varied_configs()) {
    LanguageModel model(config, 1);
    std::int64_t count = 0;
    for (const torch::Tensor& parameter : model->parameters()) count += parameter.numel();
    EXPECT_EQ(config.parameter_count(), count) << testing::describe(config);
  }
}

TEST(ModelConfig, ReadsBackFromItsTable) {
  ModelConfig written = small_config("alibi");
  written.norm = NormKind::kRmsNorm;
  written.activation = ActivationKind::kSwiGlu;
  written.kv_heads = 2;
  written.bias = written.query_key_norm = true;
  written.tied_embeddings = false;
  written.dropout = 0.1;
  written.feed_forward_width = 48;
  OptionTable writer, reader;
  written.describe(writer);
  ModelConfig read;
  read.describe(reader);
  reader.read_toml_text(writer.to_toml(), "test");
  EXPECT_EQ(reader.to_toml(), writer.to_toml());
  EXPECT_EQ(read.kv_heads, 2);
  EXPECT_EQ(read.positions, "alibi");
}

}  // namespace
}  // namespace tinylm
