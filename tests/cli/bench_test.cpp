// tinylm bench as people and scripts call it.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace tinylm {
namespace {

using testing::Outcome;

class BenchProgram : public ::testing::Test {
 protected:
  BenchProgram() : folder_(testing::fresh_folder("bench")) {}
  ~BenchProgram() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(BenchProgram, GivesMachineResultsAndRatiosAsJson) {
  const Outcome outcome = testing::run_program(
      folder_, {"bench", "--only", "generation_tiny", "--only", "products_fp32", "--rounds", "2", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_TRUE(json["machine"].contains("processor"));
  EXPECT_TRUE(json["ratios"].is_object());
  ASSERT_EQ(json["results"].size(), 2u);
  for (const auto& result : json["results"]) {
    EXPECT_GT(result["value"], 0.0);
    EXPECT_EQ(result["rounds"], 2);
  }
  EXPECT_EQ(json["results"][1]["name"], "generation_tiny");
  EXPECT_EQ(json["results"][1]["unit"], "tokens/s");
}

TEST_F(BenchProgram, PrintsATableAndLeavesNothingBehind) {
  const Outcome outcome =
      testing::run_program(folder_, {"bench", "--only", "training_tiny", "--rounds", "1", "--threads", "1"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("1 thread(s)"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("tokens/s"), std::string::npos) << outcome.out;
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(BenchProgram, EndsWithWhatThereIsWhenInterrupted) {
  const Outcome outcome =
      testing::run_and_signal(folder_, {"bench", "--only", "products_fp32", "--rounds", "10000"}, 4.0, SIGINT);
  EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
  EXPECT_NE(outcome.out.find("products_fp32"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("until then"), std::string::npos) << outcome.err;
}

TEST_F(BenchProgram, DescribesTheMachine) {
  const Outcome outcome = testing::run_program(folder_, {"info", "--machine", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  for (const char* key : {"processor", "instruction_set", "cores", "threads", "available_memory_bytes", "libtorch",
                          "onednn", "onednn_gflops", "onednn_bf16_gflops", "blas", "blas_gflops", "precision_auto"})
    EXPECT_TRUE(json.contains(key)) << key;
  const Outcome text = testing::run_shell(folder_, "TINYLM_MAX_ISA=baseline tinylm info --machine");
  EXPECT_NE(text.out.find("held to that by TINYLM_MAX_ISA=baseline"), std::string::npos) << text.out;
}

}  // namespace
}  // namespace tinylm
