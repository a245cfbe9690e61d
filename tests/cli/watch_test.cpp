// How a training is watched: what it prints, and what it leaves for those who look later.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "cli/program.h"
#include "core/checksum.h"
#include "core/files.h"

namespace tinylm {
namespace {

using testing::contains;
using testing::fresh_folder;
using testing::json_lines;
using testing::Outcome;
using testing::run_program;
namespace fs = std::filesystem;

class Watching : public ::testing::Test {
 protected:
  std::string folder_ = fresh_folder("watch");
  void SetUp() override { write_atomically(fs::path(folder_) / "text.txt", testing::words(20000)); }
  void TearDown() override { fs::remove_all(folder_); }

  Outcome train(const std::string& out, std::vector<std::string> flags) {
    std::vector<std::string> words = {"train",        "text.txt", "--layers", "1", "--heads",  "2", "--width", "16",
                                      "--context",    "16",       "--batch",  "4", "--warmup", "2", "--steps", "6",
                                      "--eval-every", "3",        "--out",    out};
    words.insert(words.end(), flags.begin(), flags.end());
    return run_program(folder_, words);
  }
  std::string content(const std::string& name) const { return read_file(fs::path(folder_) / name); }
  bool exists(const std::string& name) const { return fs::exists(fs::path(folder_) / name); }
};

TEST_F(Watching, AsJsonIsALineAStepBetweenTheRunAndItsOutcome) {
  const Outcome outcome = train("run", {"--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto lines = json_lines(outcome.out);
  ASSERT_EQ(lines.size(), 8u);
  EXPECT_EQ(lines.front()["run"], "run");
  EXPECT_EQ(std::vector(lines.begin() + 1, lines.end() - 1), json_lines(content("run/metrics.jsonl")));
  EXPECT_EQ(lines.back()["outcome"], "trained");
  EXPECT_EQ(lines.back()["exit_code"], 0);
  EXPECT_EQ(lines.back()["step"], 6);
  EXPECT_EQ(lines.back()["best_val_loss_nats"], std::min(lines[3]["val_loss_nats"], lines[6]["val_loss_nats"]));
}

TEST_F(Watching, AsJsonTellsOfAFailureToo) {
  const Outcome failed = train("run", {"--json", "--learning-rate", "1e30", "--clip", "0"});
  ASSERT_EQ(failed.exit_code, 5) << failed.err;
  const auto lines = json_lines(failed.out);
  EXPECT_EQ(lines.back()["outcome"], "failed");
  EXPECT_EQ(lines.back()["exit_code"], 5);
  EXPECT_TRUE(contains(lines.back()["message"], "the training loss is not a number")) << lines.back();
  EXPECT_TRUE(contains(content("run/report.html"), "\"status\":\"failed: "));
}

TEST_F(Watching, SaysNothingWhenToldToBeQuiet) {
  const Outcome outcome = train("run", {"--quiet"});
  EXPECT_EQ(outcome.out, "run\n");
  EXPECT_EQ(outcome.err, "");
}

TEST_F(Watching, ShowsHowFarTheLossesAreApart) {
  const Outcome outcome = train("run", {});
  const std::regex line(R"(step 3: train loss ([\d.]+), validation loss ([\d.]+) nats/token, gap ([+-][\d.]+) )");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(outcome.err, found, line)) << outcome.err;
  EXPECT_NEAR(std::stod(found[3]), std::stod(found[2]) - std::stod(found[1]), 2e-4);
}

TEST_F(Watching, ShowsWhatTheModelWritesAtEvaluations) {
  const Outcome outcome = train("run", {});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "step 3 writes:\n    ")) << outcome.err;
  const auto samples = json_lines(content("run/samples.jsonl"));
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[1]["step"], 6);
  EXPECT_FALSE(samples[1]["text"].get<std::string>().empty());
}

TEST_F(Watching, ChangesNothingAboutTheTraining) {
  ASSERT_EQ(train("often", {"--sample-every", "1", "--tensorboard", "--dropout", "0.2"}).exit_code, 0);
  ASSERT_EQ(train("never", {"--sample-every", "0", "--dropout", "0.2"}).exit_code, 0);
  EXPECT_EQ(json_lines(content("often/samples.jsonl")).size(), 6u);
  EXPECT_FALSE(exists("never/samples.jsonl"));
  EXPECT_FALSE(exists("never/tensorboard"));
  const auto often = json_lines(content("often/metrics.jsonl")), never = json_lines(content("never/metrics.jsonl"));
  ASSERT_EQ(often.size(), 6u);
  for (std::size_t i = 0; i < often.size(); ++i) {
    for (const char* key : {"train_loss_nats", "gradient_norm"}) EXPECT_EQ(often[i][key], never[i][key]) << i;
  }
  EXPECT_EQ(often[5]["val_loss_nats"], never[5]["val_loss_nats"]);
}

TEST_F(Watching, RefusesSamplesThatCannotBe) {
  const Outcome negative = train("run", {"--sample-every", "-2"});
  EXPECT_EQ(negative.exit_code, 2);
  EXPECT_TRUE(contains(negative.err, "--sample-every must be 0 (none) or more steps, not -2")) << negative.err;
  const Outcome blind = train("run", {"--sample-every", "2", "--attention-mask", "none"});
  EXPECT_EQ(blind.exit_code, 2);
  EXPECT_TRUE(contains(blind.err, "a model with attention_mask none cannot write")) << blind.err;
  EXPECT_FALSE(exists("run"));
  EXPECT_EQ(train("run", {"--attention-mask", "none"}).exit_code, 0) << "by itself it asks for no samples there";
}

TEST_F(Watching, NotesEachSessionOfARun) {
  ASSERT_EQ(train("run", {"--seed", "7"}).exit_code, 0);
  ASSERT_EQ(run_program(folder_, {"train", "--resume", "run", "--steps", "8", "--threads", "1"}).exit_code, 0);
  const auto sessions = nlohmann::json::parse(content("run/sessions.json"))["sessions"];
  ASSERT_EQ(sessions.size(), 2u);
  EXPECT_EQ(sessions[0]["from_step"], 0);
  EXPECT_EQ(sessions[0]["to_step"], 6);
  EXPECT_EQ(sessions[0]["outcome"], "trained");
  EXPECT_EQ(sessions[0]["tinylm"], TINYLM_VERSION);
  EXPECT_EQ(sessions[0]["seed"], 7);
  EXPECT_EQ(sessions[0]["text_checksum"], to_hex(checksum_of(content("text.txt"))));
  EXPECT_EQ(sessions[0]["command_line"][1], "train");
  EXPECT_EQ(sessions[0]["command_line"][2], "text.txt");
  EXPECT_EQ(sessions[1]["from_step"], 6);
  EXPECT_EQ(sessions[1]["to_step"], 8);
  EXPECT_EQ(sessions[1]["threads"], 1);
  EXPECT_EQ(sessions[1]["text_checksum"], sessions[0]["text_checksum"]);
  const Outcome info = run_program(folder_, {"info", "run"});
  EXPECT_TRUE(contains(info.out, "steps 6 to 8: trained")) << info.out;
  EXPECT_TRUE(contains(info.out, sessions[0]["text_checksum"])) << info.out;
  const Outcome json = run_program(folder_, {"info", "run", "--json"});
  EXPECT_EQ(nlohmann::json::parse(json.out)["sessions"], sessions);
  EXPECT_TRUE(contains(content("run/report.html"), "\"step\":[1,2,3,4,5,6,7,8]")) << "the whole history";
}

TEST_F(Watching, GivesTensorboardAFileASession) {
  ASSERT_EQ(train("run", {"--tensorboard"}).exit_code, 0);
  ASSERT_EQ(run_program(folder_, {"train", "--resume", "run", "--steps", "8", "--tensorboard"}).exit_code, 0);
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(folder_) / "run/tensorboard")) {
    EXPECT_TRUE(contains(entry.path().filename().string(), "tfevents"));
    EXPECT_GT(entry.file_size(), 200u);
    ++files;
  }
  EXPECT_EQ(files, 2u);
}

TEST_F(Watching, ComparesRuns) {
  ASSERT_EQ(train("a", {}).exit_code, 0);
  ASSERT_EQ(train("b", {"--seed", "8"}).exit_code, 0);
  const Outcome table = run_program(folder_, {"compare", "a", "b", "--html", "both.html"});
  ASSERT_EQ(table.exit_code, 0) << table.err;
  EXPECT_TRUE(contains(table.out, "train.seed  1337  8\n")) << table.out;
  EXPECT_FALSE(contains(table.err, "warning")) << table.err;
  EXPECT_TRUE(contains(content("both.html"), "\"name\":\"b\""));
  const Outcome json = run_program(folder_, {"compare", "a", "b", "--json"});
  EXPECT_EQ(nlohmann::json::parse(json.out)["differences"]["train.seed"], nlohmann::json({1337, 8}));

  const Outcome other = run_program(folder_, {"train", "text.txt", "--tokenizer", "byte", "--layers", "1", "--heads",
                                              "1", "--width", "8", "--steps", "1", "--out", "c"});
  ASSERT_EQ(other.exit_code, 0) << other.err;
  EXPECT_TRUE(contains(run_program(folder_, {"compare", "a", "c"}).err, "different tokenizers"));
  const Outcome one = run_program(folder_, {"compare", "a"});
  EXPECT_EQ(one.exit_code, 2);
  EXPECT_TRUE(contains(one.err, "compare needs two runs or more")) << one.err;
  EXPECT_EQ(run_program(folder_, {"compare", "a", "nowhere"}).exit_code, 4);
}

}  // namespace
}  // namespace tinylm
