#include "sample/result_json.h"

#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sample/scripted_model.h"

namespace tinylm {
namespace {

const Tokenizer& letters() {
  static const std::unique_ptr<Tokenizer> tokenizer = test::tokenizer_over("char", "xy");
  return *tokenizer;
}

SampleResult example_result() {
  SampleResult result;
  result.prompt = "Say \"hi\"\n";
  result.seed = 18446744073709551615ULL;
  result.tokens_per_s = 1234.5;
  result.samples.push_back({"h\u00E9\n",
                            {3, 4, 1},
                            {-0.1, -2.25, -1e-9},
                            FinishReason::kEnd,
                            {0.5, 1.5, 0.0},
                            {{{0, -0.5}}, {}, {{1, -2.0}, {0, -3.0}}}});
  result.samples.push_back({"", {}, {}, FinishReason::kTime});
  return result;
}

TEST(ResultJson, ReadsBackToTheSameValues) {
  const nlohmann::json json = nlohmann::json::parse(to_json(example_result(), letters()));
  EXPECT_EQ(json.at("prompt"), "Say \"hi\"\n");
  EXPECT_EQ(json.at("seed").get<std::uint64_t>(), 18446744073709551615ULL);
  EXPECT_EQ(json.at("tokens_per_s"), 1234.5);
  ASSERT_EQ(json.at("samples").size(), 2U);
  const nlohmann::json& sample = json.at("samples")[0];
  EXPECT_EQ(sample.at("text"), "h\u00E9\n");
  EXPECT_EQ(sample.at("ids"), nlohmann::json({3, 4, 1}));
  EXPECT_EQ(sample.at("log_probabilities").get<std::vector<double>>(), (std::vector<double>{-0.1, -2.25, -1e-9}));
  EXPECT_EQ(sample.at("finish_reason"), "end");
  EXPECT_EQ(sample.at("entropy_nats").get<std::vector<double>>(), (std::vector<double>{0.5, 1.5, 0.0}));
  ASSERT_EQ(sample.at("alternatives").size(), 3U);
  EXPECT_EQ(sample.at("alternatives")[2][0],
            (nlohmann::json{{"id", 1}, {"text", letters().bytes_of(1)}, {"log_probability", -2.0}}));
  EXPECT_FALSE(json.at("samples")[1].contains("alternatives"));
  EXPECT_EQ(json.at("samples")[1].at("finish_reason"), "time");
}

TEST(ResultJson, IsOneLine) {
  EXPECT_EQ(to_json(example_result(), letters()).find('\n'), std::string::npos);
}

TEST(ResultJson, StaysUtf8WhateverBytesThePromptHolds) {
  SampleResult result = example_result();
  result.prompt = "a\xFF";
  EXPECT_EQ(nlohmann::json::parse(to_json(result, letters())).at("prompt"), "a\uFFFD");
}

TEST(ResultJson, WritesNullForWhatIsNotFinite) {
  SampleResult result = example_result();
  result.tokens_per_s = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(nlohmann::json::parse(to_json(result, letters())).at("tokens_per_s").is_null());
}

}  // namespace
}  // namespace tinylm
