#include "measure/suite.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "core/errors.h"
#include "test_support.h"
#include "testing/script.h"
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

Suite small_suite(const std::filesystem::path& programs = "nowhere") {
  return make_suite({small_shape("tiny"), small_shape("baby"), small_shape("context_1024")},
                    {programs, programs / "tinylm"});
}

/// A folder with what stands for the programs of bench/.
std::filesystem::path folder_of_programs() {
  const std::filesystem::path folder = test::fresh_folder();
  testing::write_script(folder / "bare_loop", testing::kBareScript);
  testing::write_script(folder / "bare_generate", testing::kBareScript);
  testing::write_script(folder / "peak_memory", testing::kPeakScript);
  return folder;
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
  const Suite suite = small_suite(folder_of_programs());
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

TEST(Suite, CountsTheOperationsOfBothWaysToTrain) {
  const Suite part = small_suite().only({"training_tiny_flops", "training_tiny_plain_flops"});
  ASSERT_EQ(part.results.size(), 2u);
  EXPECT_EQ(part.results[0].of, "step_tiny");
  EXPECT_EQ(part.results[1].of, "step_tiny_plain");
  const double operations = training_flops_per_token(small_shape("tiny").model) * 16.0;  // 2 x 8 tokens a step
  for (const ResultRule& rule : part.results) EXPECT_DOUBLE_EQ(rule.factor, 1e-9 * operations) << rule.name;
}

TEST(Suite, KnowsWholeSections) {
  const Suite part = small_suite().only({"generation"});
  EXPECT_EQ(names_of_cases(part).count("generation_tiny_32"), 1u);
  for (const ResultRule& rule : part.results) EXPECT_EQ(rule.section, "generation");
}

TEST(Suite, ComparesWithTheBareProgramsOfItsFolder) {
  const Suite part = small_suite("some").only({"training_baby_over_bare_loop", "generation_tiny_over_bare_generate"});
  EXPECT_EQ(names_of_cases(part),
            (std::set<std::string>{"step_baby", "bare_loop_baby", "generation_tiny", "bare_generate_tiny"}));
  for (const TimedCase& one : part.cases)
    EXPECT_EQ(one.program.parent_path(), one.name.find("bare") == 0 ? "some" : "") << one.name;
}

TEST(Suite, LeavesOutWhatNeedsAProgramThatIsMissing) {
  const std::filesystem::path folder = folder_of_programs();
  std::filesystem::remove(folder / "bare_loop");
  Suite suite = small_suite(folder);
  EXPECT_EQ(suite.leave_out_missing_programs(), std::vector<std::filesystem::path>{folder / "bare_loop"});
  const std::set<std::string> left = names_of_cases(suite);
  EXPECT_EQ(left.count("bare_loop_tiny") + left.count("memory_bare_loop_baby"), 0u);
  EXPECT_EQ(left.count("step_tiny") + left.count("memory_baby") + left.count("bare_generate_tiny"), 3u);
  for (const RatioRule& rule : suite.ratios)
    EXPECT_EQ(rule.name.find("over_bare_loop"), std::string::npos) << rule.name;
}

TEST(Suite, LeavesOutNothingWhereAllProgramsAre) {
  Suite suite = small_suite(folder_of_programs());
  const std::size_t figures = suite.results.size() + suite.ratios.size();
  EXPECT_TRUE(suite.leave_out_missing_programs().empty());
  EXPECT_EQ(suite.results.size() + suite.ratios.size(), figures);
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
