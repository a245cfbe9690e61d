// tinylm plan: what it says before a training starts.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "cli/program.h"
#include "core/files.h"

namespace tinylm {
namespace {

using testing::contains;
using testing::Outcome;
namespace fs = std::filesystem;

class Planning : public ::testing::Test {
 protected:
  std::string folder_ = testing::fresh_folder("plan");
  void SetUp() override { write_atomically(fs::path(folder_) / "text.txt", testing::words(20000)); }
  void TearDown() override { fs::remove_all(folder_); }

  Outcome plan(std::vector<std::string> flags) {
    std::vector<std::string> words = {"plan", "text.txt",  "--layers", "2",       "--heads",
                                      "2",    "--context", "16",       "--batch", "4"};
    words.insert(words.end(), flags.begin(), flags.end());
    return testing::run_program(folder_, words);
  }
};

TEST_F(Planning, TellsSizesSpeedTimeAndOperationsAndLeavesNoRun) {
  const Outcome outcome = plan({"--width", "16", "--steps", "100"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* what :
       {"\nmodel ", " parameters; ", "\nmemory ", "\nmeasured ", "\nspeed ", "\noptimizer ", " % of a step", "\ntime ",
        "100 steps of 64 tokens: 6,400", "2 AttentionSublayer", "composed: nothing"})
    EXPECT_TRUE(contains(outcome.out, what)) << what << " in\n" << outcome.out;
  EXPECT_FALSE(fs::exists(fs::path(folder_) / "runs/last"));
  EXPECT_TRUE(contains(outcome.err, "the training reads only a part of the text"));
}

/// The number behind `label` at the start of a line, in MB.
double megabytes(const std::string& text, const std::string& label) {
  std::smatch found;
  return std::regex_search(text, found, std::regex("(^|\n)" + label + " +([0-9.]+) MB")) ? std::stod(found[2]) : 0.0;
}

TEST_F(Planning, TellsMemoryWithin15PercentOfWhatIsMeasured) {
  const std::vector<std::vector<std::string>> cases = {
      {"--layers", "4", "--width", "128", "--context", "128", "--batch", "16"},
      {"--layers", "4", "--width", "128", "--context", "128", "--batch", "16", "--ops", "plain"},
      {"--layers", "4", "--width", "256", "--context", "64", "--batch", "4", "--optimizer", "muon", "--activation",
       "swiglu"},
      {"--layers", "2", "--width", "128", "--context", "256", "--batch", "16", "--dropout", "0.1", "--positions",
       "rope"}};
  for (const std::vector<std::string>& flags : cases) {
    std::vector<std::string> words = {"plan", "text.txt", "--heads", "4"};
    words.insert(words.end(), flags.begin(), flags.end());
    const Outcome outcome = testing::run_program(folder_, words);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const double planned = megabytes(outcome.out, "memory"), measured = megabytes(outcome.out, "measured");
    EXPECT_GT(planned, 0.85 * measured) << outcome.out;
    EXPECT_LT(planned, 1.15 * measured) << outcome.out;
  }
}

TEST_F(Planning, NamesTheOperationsOfThePlainDefinitions) {
  const Outcome outcome = plan({"--width", "16", "--dropout", "0", "--ops", "plain"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "fused: nothing; composed: ")) << outcome.out;
}

TEST_F(Planning, WarnsOfMoreParametersThanTokens) {
  EXPECT_TRUE(contains(plan({"--width", "64"}).err, "more parameters than the text has tokens"));
}

}  // namespace
}  // namespace tinylm
