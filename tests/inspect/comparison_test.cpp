#include "inspect/report/comparison.h"

#include <gtest/gtest.h>

#include <limits>

#include <nlohmann/json.hpp>

namespace tinylm {
namespace {

RunReport run_of(const std::string& name, std::int64_t width, double loss) {
  RunReport run;
  run.name = name;
  run.parameters = 804992;
  run.total_steps = 2000;
  run.tokenizer_fingerprint = "f";
  run.training_text = run.validation_text = "t";
  run.config_json = nlohmann::ordered_json{{"model", {{"width", width}, {"norm", "layernorm"}}}}.dump();
  for (std::int64_t step = 1; step <= 1500; ++step) {
    Metrics metrics;
    metrics.step = step;
    metrics.tokens_seen = 768 * step;
    metrics.elapsed_s = 0.05 * static_cast<double>(step);
    metrics.train_loss_nats = loss;
    metrics.tokens_per_s = 12345.0;
    if (step % 500 == 0) metrics.val_loss_nats = loss + (step == 1000 ? 0.0 : 0.25);
    run.course.add(metrics);
  }
  return run;
}

TEST(Comparison, IsATableOfResultsAndOfWhatDiffers) {
  EXPECT_EQ(comparison_table({run_of("first", 128, 1.5), run_of("caf\xC3\xA9", 64, 1.75)}),
            "run    steps           tokens     time        parameters  best val  at step  last val  tokens/s\n"
            "first  1,500 of 2,000  1,152,000  1 min 15 s  804,992     1.5000    1,000    1.7500    12,345\n"
            "caf\xC3\xA9   1,500 of 2,000  1,152,000  1 min 15 s  804,992     1.7500    1,000    2.0000    12,345\n"
            "\n"
            "setting      first  caf\xC3\xA9\n"
            "model.width  128    64\n");
}

TEST(Comparison, SaysWhenNothingDiffersAndWhatWasNotMeasured) {
  RunReport empty = run_of("a", 128, 1.0);
  empty.course = {};
  const std::string table = comparison_table({empty, empty});
  EXPECT_NE(table.find("no setting differs"), std::string::npos) << table;
  EXPECT_NE(table.find("0 of 2,000"), std::string::npos) << table;
  EXPECT_EQ(table.find("nan"), std::string::npos) << table;
}

TEST(Comparison, IsJson) {
  const auto json = nlohmann::json::parse(comparison_json({run_of("first", 128, 1.5), run_of("second", 64, 1.75)}));
  const auto& first = json["runs"][0];
  EXPECT_EQ(first["name"], "first");
  EXPECT_EQ(first["step"], 1500);
  EXPECT_EQ(first["tokens_seen"], 1152000);
  EXPECT_EQ(first["best_val_loss_nats"], 1.5);
  EXPECT_EQ(first["best_step"], 1000);
  EXPECT_EQ(first["last_val_loss_nats"], 1.75);
  EXPECT_EQ(first["parameters"], 804992);
  EXPECT_EQ(json["differences"]["model.width"], nlohmann::json({128, 64}));
  EXPECT_EQ(json["differences"].size(), 1u);
  EXPECT_TRUE(json["notes"].empty());
}

TEST(Comparison, SaysWhenLossesCannotBeCompared) {
  std::vector<RunReport> runs = {run_of("a", 128, 1.0), run_of("b", 128, 1.0)};
  EXPECT_TRUE(comparison_notes(runs).empty());
  runs[1].training_text = "other";
  ASSERT_EQ(comparison_notes(runs).size(), 1u);
  EXPECT_NE(comparison_notes(runs)[0].find("learned from different texts"), std::string::npos);
  runs[1].validation_text = "other";
  EXPECT_NE(comparison_notes(runs)[0].find("hold out different texts"), std::string::npos);
  runs[1].tokenizer_fingerprint = "g";
  EXPECT_NE(comparison_notes(runs)[0].find("different tokenizers"), std::string::npos);
}

TEST(Comparison, KnowsSettingsThatOneRunLacks) {
  std::vector<RunReport> runs = {run_of("a", 128, 1.0), run_of("b", 128, 1.0)};
  runs[1].config_json = R"({"model": {"width": 128}})";
  const std::vector<Difference> differences = differing_settings(runs);
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].first, "model.norm");
  EXPECT_EQ(differences[0].second, (std::vector<std::string>{"\"layernorm\"", ""}));
}

}  // namespace
}  // namespace tinylm
