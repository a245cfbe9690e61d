#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "core/files.h"

namespace tinylm {
namespace {

using testing::Outcome;
using testing::run_program;
namespace fs = std::filesystem;

/// A run trained for a moment, and a file of tasks.
class ScoreProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    write_atomically(fs::path(folder_) / "text.txt", testing::words(5000));
    const Outcome trained =
        run_program(folder_, {"train", "text.txt", "--layers", "1", "--heads", "2", "--width", "16", "--context", "16",
                              "--batch", "4", "--warmup", "2", "--steps", "3", "--out", "runs/mine"});
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    write_tasks(
        "{\"prompt\": \"the ferry \", \"accepted\": [\"waits\", \"is\"], \"kind\": \"source\"}\n"
        "{\"prompt\": \"the mill. the mill. the \", \"accepted\": [\"river.\\n\"], \"kind\": \"own\"}\n"
        "{\"prompt\": \"\", \"accepted\": [\"the\"], \"kind\": \"source\"}\n");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write_tasks(const std::string& lines) { write_atomically(fs::path(folder_) / "tasks.jsonl", lines); }
  Outcome score(std::vector<std::string> more) const {
    more.insert(more.begin(), {"score", "--tasks", "tasks.jsonl"});
    return run_program(folder_, more);
  }

  std::string folder_ = testing::fresh_folder("score");
};

TEST_F(ScoreProgram, GivesOneJsonObjectWithKindsAndItems) {
  const Outcome outcome = score({"--run", "runs/mine", "--checkpoint", "last", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["run"], "runs/mine");
  EXPECT_EQ(json["checkpoint"], "step-3");
  ASSERT_EQ(json["kinds"].size(), 2U);
  EXPECT_EQ(json["kinds"][0]["kind"], "source");
  EXPECT_EQ(json["kinds"][0]["items"], 2);
  ASSERT_EQ(json["items"].size(), 3U);
  EXPECT_EQ(json["items"][0]["tokens"], 5);
  // A model that has hardly learned takes each of the some 20 characters to be about as likely as any other.
  EXPECT_NEAR(json["kinds"][0]["mean_nats_per_token"], std::log(20.0), 1.0);
  const double sum =
      json["items"][0]["log_likelihood_nats"].get<double>() + json["items"][2]["log_likelihood_nats"].get<double>();
  EXPECT_NEAR(json["kinds"][0]["mean_nats_per_token"], -sum / (5 + 3), 1e-12);
}

TEST_F(ScoreProgram, TakesTheNewestRunAndPrintsEveryFailureOnStdout) {
  const Outcome outcome = score({});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("run runs/mine"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("Likelihood of the expected text"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("  expected  \"river.\u23CE\"\n"), std::string::npos) << outcome.out;
}

TEST_F(ScoreProgram, SaysWhatItCutsFromAPromptThatLeavesNoRoom) {
  const Outcome outcome = score({"--run", "runs/mine"});
  EXPECT_NE(outcome.err.find("only the last 10 of the prompt are used"), std::string::npos) << outcome.err;
}

TEST_F(ScoreProgram, GivesTheSameNumbersOnThePlainDefinitions) {
  const Outcome fast = score({"--json"}), plain = score({"--json", "--ops", "plain"});
  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  EXPECT_NEAR(nlohmann::json::parse(fast.out)["kinds"][0]["mean_total_nats"],
              nlohmann::json::parse(plain.out)["kinds"][0]["mean_total_nats"], 1e-3);
}

TEST_F(ScoreProgram, RefusesTasksOfCharactersThatTheRunNeverSawAndNamesTheirLines) {
  write_tasks(
      "{\"prompt\": \"the ferry \", \"accepted\": [\"waits\"], \"kind\": \"source\"}\n"
      "{\"prompt\": \"7\", \"accepted\": [\"waits\"], \"kind\": \"source\"}\n"
      "{\"prompt\": \"the \", \"accepted\": [\"?\"], \"kind\": \"source\"}\n");
  const Outcome outcome = score({});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("tasks.jsonl:2: \"prompt\": character '7'"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("tasks.jsonl:3: \"accepted\", text 1: character '?'"), std::string::npos) << outcome.err;
}

TEST_F(ScoreProgram, RefusesAMissingFileOfTasks) {
  const Outcome outcome = run_program(folder_, {"score", "--tasks", "nothing.jsonl"});
  EXPECT_EQ(outcome.exit_code, 4) << outcome.err;
  EXPECT_NE(outcome.err.find("nothing.jsonl"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace tinylm
