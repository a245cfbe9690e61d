#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/train_program.h"
#include "model/ops/matmul_processor.h"

namespace tinylm {
namespace {

using testing::contains;
using testing::json_lines;
using testing::Outcome;
using testing::run_program;
using testing::small;
using testing::TrainProgram;
namespace fs = std::filesystem;

TEST_F(TrainProgram, LeavesARunThatSampleInspectAndInfoOpen) {
  const Outcome trained =
      run_program(folder_, small({"train", "text.txt", "--steps", "6", "--eval-every", "3", "--out", "run"}));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_EQ(trained.out, "run\n");
  EXPECT_TRUE(contains(trained.err, "seed 1337")) << trained.err;
  EXPECT_TRUE(contains(trained.err, "; next: tinylm sample run, tinylm inspect run\n")) << trained.err;

  const std::vector<nlohmann::json> metrics = json_lines(read_file(fs::path(folder_) / "run/metrics.jsonl"));
  ASSERT_EQ(metrics.size(), 6u);
  for (const char* key :
       {"step", "tokens_seen", "elapsed_s", "train_loss_nats", "learning_rate", "gradient_norm", "tokens_per_s"}) {
    EXPECT_TRUE(metrics.back().contains(key)) << key;
  }
  EXPECT_TRUE(metrics[2].contains("val_loss_nats"));
  EXPECT_FALSE(metrics[3].contains("val_loss_nats"));
  EXPECT_EQ(metrics.back()["tokens_seen"], 6 * 4 * 16);

  const Outcome info = run_program(folder_, {"info", "run", "--json", "--checkpoint", "last"});
  ASSERT_EQ(info.exit_code, 0) << info.err;
  const auto facts = nlohmann::json::parse(info.out);
  for (const char* key : {"parameters", "step", "tokens_seen", "best_val_loss_nats", "best_step", "last_val_loss_nats",
                          "config", "tokenizer"}) {
    EXPECT_TRUE(facts.contains(key)) << key;
  }
  EXPECT_EQ(facts["step"], 6);
  EXPECT_EQ(facts["config"]["model"]["width"], 16);

  const std::vector<std::string> ask = {"sample", "run", "--prompt",     "the ", "--samples", "2",
                                        "--seed", "5",   "--max-tokens", "12",   "--json"};
  const Outcome first = run_program(folder_, ask), second = run_program(folder_, ask);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const auto a = nlohmann::json::parse(first.out), b = nlohmann::json::parse(second.out);
  EXPECT_EQ(a["samples"], b["samples"]);
  EXPECT_EQ(a["samples"][0]["ids"].size(), 12u);
  EXPECT_EQ(a["seed"], 5);

  const Outcome map = run_program(folder_, {"inspect", "run", "--prompt", "the river", "--npy", "maps"});
  ASSERT_EQ(map.exit_code, 0) << map.err;
  EXPECT_TRUE(fs::exists(fs::path(folder_) / "maps/attention.npy"));
  EXPECT_EQ(nlohmann::json::parse(read_file(fs::path(folder_) / "maps/tokens.json"))["ids"].size(), 9u);
  const Outcome json = run_program(folder_, {"inspect", "run", "--prompt", "the river", "--json", "-"});
  EXPECT_EQ(nlohmann::json::parse(json.out)["attention"][0][0].size(), 9u) << json.err;
}

TEST_F(TrainProgram, ChoosesAPrecisionThatItSays) {
  const Outcome outcome = run_program(folder_, small({"train", "text.txt", "--steps", "2", "--out", "run"}));
  const std::string chosen = ops::matmul_processor().favours_bfloat16() ? "bf16" : "fp32";
  EXPECT_TRUE(contains(outcome.err, "; precision " + chosen + ";")) << outcome.err;
  EXPECT_TRUE(contains(read_file(fs::path(folder_) / "run/config.toml"), "precision = \"" + chosen + "\""));
  const Outcome plain =
      run_program(folder_, small({"train", "text.txt", "--ops", "plain", "--precision", "bf16", "--out", "plain"}));
  EXPECT_EQ(plain.exit_code, 2);
  EXPECT_TRUE(contains(plain.err, "the plain operations compute in float32")) << plain.err;
}

TEST_F(TrainProgram, BeginsAnewFromAnotherRunsWeightsAndTokenizer) {
  ASSERT_EQ(
      run_program(folder_, small({"train", "text.txt", "--steps", "30", "--learning-rate", "0.01", "--out", "first"}))
          .exit_code,
      0);
  const Outcome second = run_program(
      folder_, {"train", "text.txt", "--init-from", "first", "--steps", "1", "--batch", "4", "--out", "second"});
  ASSERT_EQ(second.exit_code, 0) << second.err;
  const double before = json_lines(read_file(fs::path(folder_) / "first/metrics.jsonl")).front()["train_loss_nats"];
  const double after = json_lines(read_file(fs::path(folder_) / "second/metrics.jsonl")).front()["train_loss_nats"];
  EXPECT_LT(after, before - 0.2);
  const Outcome other =
      run_program(folder_, {"train", "text.txt", "--init-from", "first", "--layers", "2", "--out", "third"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_TRUE(contains(other.err, "leave out --layers")) << other.err;
  const Outcome tokenizer =
      run_program(folder_, {"train", "text.txt", "--init-from", "first", "--tokenizer", "byte", "--out", "third"});
  EXPECT_EQ(tokenizer.exit_code, 2);
  EXPECT_TRUE(contains(tokenizer.err, "leave out --tokenizer")) << tokenizer.err;
  write_atomically(fs::path(folder_) / "more.toml", "[model]\ncontext = 8\n");
  const Outcome file =
      run_program(folder_, {"train", "text.txt", "--init-from", "first", "--config", "more.toml", "--out", "third"});
  EXPECT_EQ(file.exit_code, 2);
  EXPECT_TRUE(contains(file.err, "leave out --context, here or in more.toml")) << file.err;
}

TEST_F(TrainProgram, AnEmptyFolderNameIsNoName) {
  for (const std::string flag : {"--resume", "--out", "--config"}) {
    const Outcome outcome = run_program(folder_, {"train", "text.txt", flag, ""});
    EXPECT_EQ(outcome.exit_code, 2) << flag;
    EXPECT_TRUE(contains(outcome.err, flag + ": an empty value was given")) << outcome.err;
  }
}

TEST_F(TrainProgram, SaysWhenItsResultsCannotBeWritten) {
  for (const std::string command : {"attend", "--help", "info --machine"}) {
    for (const std::string output : {" > /dev/full", " >&-"}) {  // no room, and closed
      const Outcome outcome = testing::run_shell(folder_, "tinylm " + command + output);
      EXPECT_EQ(outcome.exit_code, 4) << command << output << ": " << outcome.err;
      EXPECT_TRUE(contains(outcome.err, "could not be written to standard output")) << outcome.err;
    }
  }
}

TEST_F(TrainProgram, WritesNoResultsIntoItsFilesWhenStandardOutputIsClosed) {
  std::string line = "tinylm";
  for (const std::string& word : small({"train", "text.txt", "--steps", "2", "--out", "run"})) line += " " + word;
  EXPECT_EQ(testing::run_shell(folder_, line + " >&-").exit_code, 4);
  EXPECT_EQ(json_lines(read_file(fs::path(folder_) / "run/metrics.jsonl")).size(), 2u);
  EXPECT_FALSE(contains(read_file(fs::path(folder_) / "run/train.log"), "\nrun\n"));
  EXPECT_EQ(run_program(folder_, {"info", "run"}).exit_code, 0);
}

TEST_F(TrainProgram, ASignalEndsItWhileItWaitsForText) {
  ASSERT_EQ(mkfifo((fs::path(folder_) / "pipe").c_str(), 0600), 0);
  const Outcome outcome = testing::run_and_signal(folder_, small({"train", "pipe", "--out", "run"}), 1.0, SIGTERM);
  EXPECT_EQ(outcome.exit_code, 128 + SIGTERM) << outcome.err;
}

TEST_F(TrainProgram, LearnsFromStandardInput) {
  const Outcome outcome =
      run_program(folder_, small({"train", "-", "--steps", "2", "--out", "run"}), testing::words(5000));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST_F(TrainProgram, TakesATimeInsteadOfSteps) {
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome =
      run_program(folder_, {"train", "text.txt", "--minutes", "0.15", "--width", "32", "--out", "run"});
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_GT(taken.count(), 6.0);
  EXPECT_LT(taken.count(), 30.0);  // on a machine whose cores others use; tests/train/pace_test.cpp has what is exact
  EXPECT_TRUE(contains(outcome.err, "chosen: --layers")) << outcome.err;
  const std::string config = read_file(fs::path(folder_) / "run/config.toml");
  EXPECT_TRUE(contains(config, "width = 32")) << config;
  EXPECT_TRUE(contains(config, "optimizer = \"muon\"")) << config;
  const auto state = nlohmann::json::parse(read_file(fs::path(folder_) / "run/checkpoints/last/state.json"));
  EXPECT_EQ(state["paces"].back()["last_step"], state["step"]);
  const std::string steps = std::to_string(state["step"].get<std::int64_t>());
  EXPECT_TRUE(contains(read_file(fs::path(folder_) / "run/report.html"), "\"total_steps\":" + steps + ","));
  const Outcome compared = run_program(folder_, {"compare", "run", "run", "--json"});
  EXPECT_EQ(nlohmann::json::parse(compared.out)["runs"][0]["total_steps"], state["step"]) << compared.err;
  const Outcome info = run_program(folder_, {"info", "run", "--checkpoint", "last"});
  EXPECT_TRUE(contains(info.out, "step " + steps + " of " + steps + ", ")) << info.out;
  const Outcome longer = run_program(
      folder_, {"train", "--resume", "run", "--steps", std::to_string(state["step"].get<std::int64_t>() + 3)});
  EXPECT_EQ(longer.exit_code, 0) << longer.err;
}

TEST_F(TrainProgram, AStoppedTimeIsComparedByTheStepsThatWereExpectedLast) {
  const fs::path metrics = fs::path(folder_) / "run/metrics.jsonl";
  const auto evaluated = [&] { return fs::exists(metrics) && contains(read_file(metrics), "val_loss_nats"); };
  const Outcome stopped = testing::run_and_signal(
      folder_, {"train", "text.txt", "--minutes", "0.5", "--width", "32", "--out", "run"}, evaluated, SIGINT);
  ASSERT_EQ(stopped.exit_code, 128 + SIGINT) << stopped.err;
  const auto state = nlohmann::json::parse(read_file(fs::path(folder_) / "run/checkpoints/last/state.json"));
  ASSERT_EQ(state["paces"].size(), 2u) << "one guess, and one after the first evaluation";
  const auto expected = state["paces"][1]["last_step"].get<std::int64_t>();
  EXPECT_NE(expected, state["paces"][0]["last_step"]);
  const Outcome compared = run_program(folder_, {"compare", "run", "run", "--json"});
  EXPECT_EQ(nlohmann::json::parse(compared.out)["runs"][0]["total_steps"], expected) << compared.err;
}

TEST_F(TrainProgram, TakesATimeAndSizesThatDoNotFitItsOwn) {
  const Outcome outcome = run_program(folder_, {"train", "text.txt", "--minutes", "0.05", "--heads", "6", "--layers",
                                                "1", "--context", "8", "--out", "run"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(read_file(fs::path(folder_) / "run/config.toml"), "heads = 6"));
  const std::string log = read_file(fs::path(folder_) / "run/train.log");
  EXPECT_TRUE(contains(log, "chosen: --optimizer muon")) << log;
}

TEST_F(TrainProgram, RefusesATimeAndSteps) {
  const Outcome outcome = run_program(folder_, {"train", "text.txt", "--minutes", "1", "--steps", "10"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(contains(outcome.err, "leave out --steps")) << outcome.err;
}

// What can be known beforehand is, before the text is read.
TEST_F(TrainProgram, ChecksFirstWhatCanBeChecked) {
  write_atomically(fs::path(folder_) / "file", "x");
  const std::vector<std::pair<std::vector<std::string>, const char*>> cases = {
      {{"--out", "file/run"}, "cannot make the folder file/run"},
      {{"--out", "/proc/none/run"}, "cannot make the folder /proc/none/run"},
      {{"--patience", "2", "--val-fraction", "0"}, "no text is held out"},
      {{"--layers", "1000", "--width", "16000"}, "are available"},
      {{"--layers", "4", "--width", "128", "--keep", "0", "--save-every", "1", "--steps", "1000000"}, "are free there"},
  };
  for (const auto& [flags, message] : cases) {
    std::vector<std::string> arguments = {"train", "text.txt"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const Outcome outcome = run_program(folder_, arguments);
    EXPECT_NE(outcome.exit_code, 0);
    EXPECT_TRUE(contains(outcome.err, message)) << outcome.err;
    EXPECT_FALSE(contains(outcome.err, "tokenizer")) << outcome.err;
  }
  EXPECT_FALSE(fs::exists(fs::path(folder_) / "runs"));
}

TEST_F(TrainProgram, TellsBestAndLastApart) {
  const Outcome trained =
      run_program(folder_, small({"train", "text.txt", "--steps", "400", "--eval-every", "20", "--learning-rate", "0.3",
                                  "--schedule", "constant", "--patience", "2", "--out", "run"}));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_TRUE(contains(trained.err, "stopped by --patience 2")) << trained.err;
  const auto last = nlohmann::json::parse(read_file(fs::path(folder_) / "run/checkpoints/last/state.json"));
  const auto info = nlohmann::json::parse(run_program(folder_, {"info", "run", "--json"}).out);
  EXPECT_LT(info["step"], info["last_step"]);
  EXPECT_EQ(info["last_step"], last["step"]);
  EXPECT_EQ(info["last_val_loss_nats"], last["last_val_loss_nats"]);
  EXPECT_GT(info["last_val_loss_nats"], info["best_val_loss_nats"]);
}

TEST_F(TrainProgram, SaysThatAFileGotTooLarge) {
  const Outcome outcome = testing::run_shell(
      folder_, "ulimit -f 30; tinylm train text.txt --layers 2 --width 64 --heads 2 --steps 5 --out run");
  EXPECT_EQ(outcome.exit_code, 4) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "File too large")) << outcome.err;
}

TEST_F(TrainProgram, GoesOnWhenNobodyReadsWhatItSays) {
  const Outcome outcome = testing::run_shell(
      folder_, "tinylm train text.txt --layers 1 --width 16 --heads 2 --steps 5 --out run 2>&1 | head -n 1");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(fs::path(folder_) / "run/checkpoints/last")) << outcome.out;
}

TEST_F(TrainProgram, SkipsStepsThatAreNotFinite) {
  const Outcome outcome = run_program(folder_, small({"train", "text.txt", "--steps", "300", "--learning-rate", "1e30",
                                                      "--clip", "0", "--on-nan", "skip", "--out", "run"}));
  EXPECT_EQ(outcome.exit_code, 5) << outcome.err;  // the weights are spoilt, so every further step is
  EXPECT_TRUE(contains(outcome.err, "is skipped (1 so far)")) << outcome.err;
}

TEST_F(TrainProgram, StopsAtALossThatIsNotFinite) {
  const Outcome outcome = run_program(
      folder_, small({"train", "text.txt", "--steps", "50", "--learning-rate", "1e30", "--clip", "0", "--out", "run"}));
  EXPECT_EQ(outcome.exit_code, 5) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "--learning-rate")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "run has no checkpoint yet")) << outcome.err;
}

TEST_F(TrainProgram, NamesTheLastGoodCheckpointWhereTheLossIsNotFinite) {
  const Outcome outcome =
      run_program(folder_, small({"train", "text.txt", "--steps", "50", "--save-every", "1", "--learning-rate", "1e30",
                                  "--clip", "0", "--quiet", "--json", "--out", "run"}));
  ASSERT_EQ(outcome.exit_code, 5) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "The last good checkpoint is that of step ")) << outcome.err;
  const auto line = testing::json_lines(outcome.out).back();
  EXPECT_TRUE(contains(line["message"], "The last good checkpoint is that of step ")) << line;
}

}  // namespace
}  // namespace tinylm
