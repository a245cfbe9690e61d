#include "sample/comparison_report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tinylm {
namespace {

RunComparison example() {
  RunComparison comparison;
  comparison.a = {"runs/a", "step-10", {100, 120, 150.0}};
  comparison.b = {"runs/b", "step-20", {100, 120, 180.0}};
  comparison.same_tokens = true;
  comparison.pieces = 7;
  comparison.bootstrap.seed = 3;
  comparison.difference = {120, -0.25, -0.5, -0.125};
  comparison.places = {{5, 1, "e", "th", 0.5, 4.0}};
  return comparison;
}

TEST(ComparisonReport, SaysByHowMuchHowSureAndWhere) {
  const std::string text = to_text(example());
  EXPECT_NE(text.find("A  runs/a, step-10     100    150.0000      1.5000     1.8034\n"), std::string::npos) << text;
  EXPECT_NE(
      text.find("A - B: -0.2500 bits/byte over the 120 bytes that both predict; 95 % interval -0.5000 to -0.1250\n"
                "(bootstrap over 7 pieces of text, 10,000 times, seed 3). A predicts texts like this one better."),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("       5  0.5000  4.0000  -3.5000  \"e\"    \"th\"\n"), std::string::npos) << text;
}

TEST(ComparisonReport, SaysWhichIsBetterOnlyWhereTheIntervalDoesNotHoldZero) {
  RunComparison comparison = example();
  comparison.difference = {120, 0.25, 0.125, 0.5};
  EXPECT_NE(to_text(comparison).find("B predicts texts like this one better."), std::string::npos);
  comparison.difference.lowest = -0.125;
  EXPECT_NE(to_text(comparison).find("The interval holds 0: this text does not show which predicts better."),
            std::string::npos);
  EXPECT_EQ(to_text(comparison).find("tokenizers differ"), std::string::npos);
  comparison.same_tokens = false;
  EXPECT_NE(to_text(comparison).find("The tokenizers differ, so nats/token do not compare."), std::string::npos);
}

TEST(ComparisonReport, JsonReadsBackToTheSameValues) {
  const std::string line = to_json(example());
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const nlohmann::json json = nlohmann::json::parse(line);
  EXPECT_EQ(json.at("runs")[1].at("run"), "runs/b");
  EXPECT_EQ(json.at("runs")[0].at("total_loss_nats"), 150.0);
  EXPECT_EQ(json.at("difference_bits_per_byte"), -0.25);
  EXPECT_EQ(json.at("interval_bits_per_byte"), nlohmann::json({-0.5, -0.125}));
  EXPECT_EQ(json.at("same_tokens"), true);
  EXPECT_EQ(json.at("most_different")[0].at("text"), "e");
  EXPECT_EQ(json.at("most_different")[0].at("b_nats"), 4.0);
}

}  // namespace
}  // namespace tinylm
