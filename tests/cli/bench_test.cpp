// tinylm bench as people and scripts call it.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/program.h"
#include "core/files.h"
#include "measure/training_memory.h"
#include "testing/script.h"

namespace tinylm {
namespace {

namespace fs = std::filesystem;

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

TEST_F(BenchProgram, ComparesWithTheBareLoopOfAFolder) {
  testing::write_script(folder_ + "/bare_loop", testing::kBareScript);
  const Outcome outcome = testing::run_program(folder_, {"bench", "--bare", ".", "--only", "bare_loop_tiny", "--only",
                                                         "training_tiny_over_bare_loop", "--rounds", "1", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["results"][0]["name"], "bare_loop_tiny");
  EXPECT_EQ(json["results"][0]["value"], 12.0 * 64.0);  // tokens of a step that takes a second
  EXPECT_GT(json["ratios"]["training_tiny_over_bare_loop"], 0.0);
}

TEST_F(BenchProgram, NamesABareLoopThatEnds) {
  testing::write_script(folder_ + "/bare_loop", "read -r n; exit 3");
  const Outcome outcome =
      testing::run_program(folder_, {"bench", "--bare", folder_, "--only", "bare_loop_tiny", "--rounds", "1"});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_NE(outcome.err.find(folder_ + "/bare_loop' ended with exit code 3"), std::string::npos) << outcome.err;
}

TEST_F(BenchProgram, SaysHowToGetABareLoopThatIsNotThere) {
  const Outcome outcome =
      testing::run_program(folder_, {"bench", "--bare", folder_, "--only", "bare_loop_tiny", "--rounds", "1"});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_NE(outcome.err.find("ninja -C build bare_loop"), std::string::npos) << outcome.err;
}

TEST_F(BenchProgram, MeasuresTheRestWithoutABareLoop) {
  // Moved elsewhere, with what it looks for beside itself, the program has no bare_loop.
  const fs::path build = fs::path(TINYLM_PROGRAM).parent_path();
  fs::copy_file(TINYLM_PROGRAM, folder_ + "/moved");
  for (const char* name : {"share", "lib"}) fs::create_directory_symlink(build / name, fs::path(folder_) / name);
  const Outcome outcome =
      testing::run_shell(folder_, "./moved bench --only training_tiny --only bare_loop_tiny --rounds 1");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("ninja -C build bare_loop"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("training_tiny"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("bare_loop"), std::string::npos) << outcome.out;
}

TEST_F(BenchProgram, EndsItsBareLoopWhenInterrupted) {
  testing::write_script(folder_ + "/bare_loop", "echo $$ >process; " + std::string(testing::kBareScript));
  const auto started = [&] { return fs::exists(folder_ + "/process"); };
  const Outcome outcome = testing::run_and_signal(
      folder_, {"bench", "--bare", ".", "--only", "bare_loop_tiny", "--rounds", "10000"}, started, SIGINT);
  EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
  EXPECT_NE(::kill(std::stoi(read_file(folder_ + "/process")), 0), 0);
}

TEST_F(BenchProgram, LeavesNoBareLoopBehindWhenItIsKilled) {
  testing::write_script(folder_ + "/bare_loop",
                        "echo >started; " + std::string(testing::kBareScript) + "; echo >ended");
  const auto started = [&] { return fs::exists(folder_ + "/started"); };
  const Outcome outcome = testing::run_and_signal(
      folder_, {"bench", "--bare", ".", "--only", "bare_loop_tiny", "--rounds", "10000"}, started, SIGKILL);
  EXPECT_EQ(outcome.exit_code, 137);
  for (int i = 0; i < 1000 && !fs::exists(folder_ + "/ended"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(fs::exists(folder_ + "/ended"));
}

/// Of the build; they are not there where it leaves out bench/.
fs::path build_program(const std::string& name) {
  return fs::path(TINYLM_PROGRAM).parent_path() / name;
}

TEST_F(BenchProgram, RunsTheBareProgramsBesideIt) {
  if (!fs::exists(build_program("bare_loop")) || !fs::exists(build_program("bare_generate")))
    GTEST_SKIP() << "the programs of bench/ were not built";
  const Outcome outcome = testing::run_program(
      folder_, {"bench", "--only", "bare_loop_tiny", "--only", "bare_generate_tiny", "--rounds", "1", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(json["results"].size(), 2u);
  for (const auto& result : json["results"]) EXPECT_GT(result["value"], 0.0) << result["name"];
}

TEST_F(BenchProgram, MeasuresTheMemoryOfATraining) {
  if (!fs::exists(build_program("peak_memory"))) GTEST_SKIP() << "the programs of bench/ were not built";
  BenchShape shape;
  shape.model.layers = 1;
  shape.model.width = 512;
  shape.train.batch = 2;
  const std::uint64_t bytes = training_memory_bytes({build_program("peak_memory"), TINYLM_PROGRAM}, shape);
  // At least weights, gradients and the two means of AdamW: 12 C^2 of them, in float32.
  EXPECT_GT(bytes, 4u * 4u * 12u * 512u * 512u);
  EXPECT_LT(bytes, 500'000'000u);
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
