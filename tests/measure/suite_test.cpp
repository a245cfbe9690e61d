#include "measure/suite.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/errors.h"
#include "test_support.h"
#include "train/plan.h"

namespace tinylm {
namespace {

BenchShape small_shape(const std::string& name) {
  BenchShape shape;
  shape.name = name;
  shape.model.vocabulary_size = 11;
  shape.model.context = 8;
  shape.model.layers = 1;
  shape.model.heads = 2;
  shape.model.width = 16;
  shape.train.batch = 2;
  return shape;
}

Suite small_suite() {
  return make_suite({small_shape("tiny"), small_shape("baby"), small_shape("context_1024")});
}

std::set<std::string> names_of_cases(const Suite& suite) {
  std::set<std::string> names;
  for (const TimedCase& one : suite.cases) EXPECT_TRUE(names.insert(one.name).second) << one.name << " is there twice";
  return names;
}

TEST(Suite, RefersOnlyToCasesThatItHas) {
  const Suite suite = small_suite();
  const std::set<std::string> cases = names_of_cases(suite);
  std::set<std::string> figures;
  for (const ResultRule& rule : suite.results) {
    EXPECT_TRUE(cases.count(rule.of)) << rule.of;
    EXPECT_TRUE(figures.insert(rule.name).second) << rule.name << " is there twice";
  }
  for (const RatioRule& rule : suite.ratios) {
    EXPECT_TRUE(cases.count(rule.over)) << rule.over;
    EXPECT_TRUE(cases.count(rule.under)) << rule.under;
    EXPECT_TRUE(figures.insert(rule.name).second) << rule.name << " is there twice";
  }
}

TEST(Suite, TimesEveryCase) {
  const Suite suite = small_suite();
  for (const TimedCase& one : suite.cases) {
    if (one.name.rfind("reading_memory", 0) == 0) continue;  // large
    EXPECT_GT(one.prepare()(), 0.0) << one.name;
  }
}

TEST(Suite, LeavesOutWhatTheNamedPartsDoNotNeed) {
  const Suite part = small_suite().only({"training_tiny", "clipping_share_of_step_baby"});
  EXPECT_EQ(names_of_cases(part), (std::set<std::string>{"step_tiny", "step_baby", "clipping_baby"}));
  ASSERT_EQ(part.results.size(), 1u);
  EXPECT_EQ(part.results[0].name, "training_tiny");
  ASSERT_EQ(part.ratios.size(), 1u);
}

TEST(Suite, KnowsWholeSections) {
  const Suite part = small_suite().only({"generation"});
  EXPECT_EQ(names_of_cases(part).count("generation_tiny_32"), 1u);
  for (const ResultRule& rule : part.results) EXPECT_EQ(rule.section, "generation");
}

TEST(Suite, SaysWhichNamesThereAre) {
  const std::string message = test::message_of<WrongUse>([] { small_suite().only({"generatoin"}); });
  EXPECT_NE(message.find("did you mean 'generation'?"), std::string::npos) << message;
  EXPECT_NE(message.find("sections: machine, training, attention"), std::string::npos) << message;
}

TEST(Suite, PlansTheMemoryOfAStepForItsOperations) {
  const Suite suite = small_suite();
  const auto working_bytes = [&](const std::string& name) -> std::uint64_t {
    for (const TimedCase& one : suite.cases)
      if (one.name == name) return one.working_bytes;
    return 0;
  };
  const BenchShape shape = small_shape("tiny");
  EXPECT_EQ(working_bytes("step_tiny"), plan_memory(shape.model, shape.train, Ops::kAuto).activations_bytes);
  EXPECT_EQ(working_bytes("step_tiny_plain"), plan_memory(shape.model, shape.train, Ops::kPlain).activations_bytes);
}

TEST(Suite, AsksForMemoryBeforeItTakesIt) {
  Suite suite;
  suite.cases = {{"a", {}, 1'000'000, 5'000'000}, {"b", {}, 2'000'000, 3'000'000}};
  suite.require_memory(8'000'000);  // what both keep, and the larger of what they need besides
  const std::string message = test::message_of<MemoryError>([&] { suite.require_memory(7'999'999); });
  EXPECT_NE(message.find("8.0 MB"), std::string::npos) << message;
  EXPECT_NE(message.find("--only"), std::string::npos) << message;
}

TEST(Shape, CountsTheOperationsOfAToken) {
  // L 1, C 16, T 8, V 11: 12 C^2 of the block, three norms' gains, V C of the output projection.
  ModelConfig config = small_shape("tiny").model;
  const double N = 12 * 256 + 3 * 16 + 11 * 16;
  EXPECT_EQ(multiplied_parameters(config), N);
  EXPECT_EQ(training_flops_per_token(config), 6 * N + 12 * 16 * 8);
  config.tied_embeddings = false;  // a table that is looked up in does not count
  EXPECT_EQ(multiplied_parameters(config), N);
  config.positions = "rope";
  EXPECT_EQ(multiplied_parameters(config), N);
}

}  // namespace
}  // namespace tinylm
