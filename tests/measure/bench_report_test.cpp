#include "measure/bench_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tinylm {
namespace {

TimedCase takes(const std::string& name, double seconds) {
  return {name, [seconds] { return [seconds] { return seconds; }; }};
}

/// A step of 0.5 s for 1000 tokens, one of 0.55 s, and a case that is never timed.
class Report : public ::testing::Test {
 protected:
  Report() {
    suite_.cases = {takes("step", 0.5), takes("step_dropout", 0.55)};
    suite_.results = {{"training", "training_tiny", "tokens/s", "step", 1000.0, true},
                      {"training", "step_tiny", "ms", "step", 1e3}};
    suite_.ratios = {{"costs", "dropout_share", "step_dropout", "step", "what it adds", 1.0, -1.0}};
  }
  BenchReport report(int rounds, Ops ops = Ops::kAuto) {
    Rounds timed(suite_.cases, [] { return 1e-4; });
    timed.run(
        rounds, [] { return false; }, [](int, const std::string&) {});
    MachineReport machine;
    machine.processor.name = "A \"fast\" one";
    return bench_report(machine, ops, suite_, timed);
  }
  Suite suite_;
};

TEST_F(Report, TurnsTimesIntoRatesTimesAndRatios) {
  const BenchReport found = report(3);
  ASSERT_EQ(found.results.size(), 2u);
  EXPECT_DOUBLE_EQ(found.results[0].value, 2000.0);
  EXPECT_EQ(found.results[0].kept, 3);
  EXPECT_DOUBLE_EQ(found.results[1].value, 500.0);
  ASSERT_EQ(found.ratios.size(), 1u);
  EXPECT_NEAR(found.ratios[0].value, 0.1, 1e-12);
}

TEST_F(Report, LeavesOutWhatWasNotMeasured) {
  const BenchReport found = report(0);
  EXPECT_TRUE(found.results.empty());
  EXPECT_TRUE(found.ratios.empty());
}

TEST_F(Report, IsAJsonObjectOfMachineResultsAndRatios) {
  const auto json = nlohmann::json::parse(to_json(report(2)));
  EXPECT_EQ(json["machine"]["processor"], "A \"fast\" one");
  EXPECT_EQ(json["results"][0]["name"], "training_tiny");
  EXPECT_EQ(json["results"][0]["value"], 2000.0);
  EXPECT_EQ(json["results"][0]["unit"], "tokens/s");
  EXPECT_EQ(json["results"][0]["rounds"], 2);
  EXPECT_NEAR(json["ratios"]["dropout_share"].get<double>(), 0.1, 1e-12);
}

TEST_F(Report, NamesThePrecisionOfTheTrainings) {
  EXPECT_NE(to_text(report(1)).find("trainings in float32"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(to_json(report(1)))["precision"], "fp32");
  EXPECT_NE(to_text(report(1, Ops::kBfloat16)).find("trainings in bfloat16"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(to_json(report(1, Ops::kBfloat16)))["precision"], "bf16");
}

TEST_F(Report, GivesTheFormulaOfATrainingsOperations) {
  EXPECT_EQ(nlohmann::json::parse(to_json(report(1)))["formula"], kFlopsFormula);
}

TEST_F(Report, IsATableForPeople) {
  const std::string text = to_text(report(2));
  EXPECT_NE(text.find("training_tiny"), std::string::npos) << text;
  EXPECT_NE(text.find("2,000 tokens/s    2 of 2"), std::string::npos) << text;
  EXPECT_NE(text.find("0.100"), std::string::npos) << text;
  EXPECT_NE(text.find("6 N + 12 L C T"), std::string::npos) << text;
}

}  // namespace
}  // namespace tinylm
