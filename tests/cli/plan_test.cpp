// tinylm plan: what it says before a training starts.
#include <gtest/gtest.h>

#include <filesystem>

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
