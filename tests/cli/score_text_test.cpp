// tinylm score TEXT: the same numbers as training's validation, however the text comes and is computed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "core/files.h"

namespace tinylm {
namespace {

using testing::contains;
using testing::Outcome;
using testing::run_program;
namespace fs = std::filesystem;
using Json = nlohmann::json;

/// A run trained for a moment on text.txt, with a validation text of its own.
class ScoreText : public ::testing::Test {
 protected:
  void SetUp() override {
    write("text.txt", testing::words(5000));
    held_out_ = testing::words(7000).substr(5000);
    write("held-out.txt", held_out_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void train(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--val", "held-out.txt", "--learning-rate", "0.01", "--steps", "6"});
    testing::train_small_run(folder_, "runs/mine", more);
  }
  void write(const std::string& name, const std::string& text) const {
    write_atomically(fs::path(folder_) / name, text);
  }
  Outcome score(std::vector<std::string> more, const std::string& input = "") const {
    more.insert(more.begin(), "score");
    return run_program(folder_, more, input);
  }
  Json scored(std::vector<std::string> more, const std::string& input = "") const {
    more.emplace_back("--json");
    const Outcome outcome = score(more, input);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.exit_code == 0 ? Json::parse(outcome.out) : Json();
  }
  Json info() const { return Json::parse(run_program(folder_, {"info", "--json"}).out); }

  std::string folder_ = testing::fresh_folder("score-text");
  std::string held_out_;
};

TEST_F(ScoreText, GivesTheValidationLossOfTheTextThatWasHeldOut) {
  train();
  const Json found = scored({"held-out.txt"});
  EXPECT_EQ(found.at("run"), "runs/mine");
  EXPECT_EQ(found.at("checkpoint"), "step-6");
  EXPECT_EQ(found.at("tokens"), held_out_.size() - 1);
  EXPECT_EQ(found.at("bytes"), held_out_.size() - 1);
  const double mean = found.at("mean_loss_nats");
  EXPECT_NEAR(mean, info().at("last_val_loss_nats"), 1e-6);
  EXPECT_NEAR(found.at("total_loss_nats"), mean * static_cast<double>(held_out_.size() - 1), 1e-6);
  EXPECT_NEAR(found.at("mean_loss_bits"), mean / std::log(2.0), 1e-12);
  EXPECT_NEAR(found.at("perplexity"), std::exp(mean), 1e-9);
  EXPECT_NEAR(found.at("bits_per_byte"), mean / std::log(2.0), 1e-12) << "a byte a token";
}

TEST_F(ScoreText, GivesTheValidationLossOfDocumentsAndOfPiecesOfWordsToo) {
  train({"--documents", "line", "--tokenizer", "sentencepiece", "--vocab-size", "300", "--steps", "4"});
  const Json found = scored({"held-out.txt"});
  EXPECT_NEAR(found.at("mean_loss_nats"), info().at("last_val_loss_nats"), 1e-6);
  const auto lines = std::count(held_out_.begin(), held_out_.end(), '\n');
  EXPECT_EQ(found.at("bytes"), held_out_.size() - static_cast<std::size_t>(lines)) << "line ends are no part of them";
}

TEST_F(ScoreText, DependsOnNeitherThreadsNorTheWayOfComputing) {
  train();
  const double one = scored({"held-out.txt", "--threads", "1"}).at("mean_loss_nats");
  EXPECT_NEAR(scored({"held-out.txt", "--threads", "2"}).at("mean_loss_nats"), one, 1e-6);
  EXPECT_NEAR(scored({"held-out.txt", "--ops", "plain"}).at("mean_loss_nats"), one, 1e-6);
}

TEST_F(ScoreText, ReadsFoldersStandardInputAndLiteralsAlike) {
  train();
  const Json file = scored({"held-out.txt"});
  fs::create_directory(fs::path(folder_) / "folder");
  write("folder/1.txt", held_out_.substr(0, 700));
  write("folder/2.txt", held_out_.substr(700));
  EXPECT_EQ(scored({"folder"}), file);
  EXPECT_EQ(scored({"folder/1.txt", "folder/2.txt"}), file);
  EXPECT_EQ(scored({"-"}, held_out_), file);
  EXPECT_EQ(scored({"--text", held_out_}), file);
}

TEST_F(ScoreText, LeavesNothingBehind) {
  train();
  fs::create_directory(fs::path(folder_) / "tmp");
  const Outcome outcome = testing::run_shell(folder_, "TMPDIR=$PWD/tmp; export TMPDIR; tinylm score held-out.txt");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(fs::is_empty(fs::path(folder_) / "tmp"));
}

TEST_F(ScoreText, TakesEveryStrideUpToTheContext) {
  train();
  const Json found = scored({"held-out.txt", "--stride", "1"});
  EXPECT_EQ(found.at("tokens"), held_out_.size() - 1) << "each is predicted once";
  EXPECT_EQ(scored({"held-out.txt", "--stride", "16"}), scored({"held-out.txt"}));
  for (const char* stride : {"0", "-1", "17"}) {
    const Outcome outcome = score({"held-out.txt", "--stride", stride});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(contains(outcome.err, std::string("--stride is ") + stride + ": expected 1 to 16")) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

TEST_F(ScoreText, GivesTheLossOfEachTokenAsJsonAndCsv) {
  train();
  const Json mill = scored({"--text", "the mill.\n", "--tokens", "--csv", "losses.csv"});
  ASSERT_EQ(mill.at("losses").size(), 9U);
  double total = 0.0;
  std::string text;
  for (const Json& token : mill.at("losses")) {
    total += token.at("loss_nats").get<double>();
    text += token.at("text").get<std::string>();
  }
  EXPECT_EQ(text, "he mill.\n");
  EXPECT_NEAR(total, mill.at("total_loss_nats"), 1e-5);
  const std::string file = read_file(fs::path(folder_) / "losses.csv");
  EXPECT_EQ(file.find("position,id,text,loss_nats\n1,"), 0U) << file;
  EXPECT_TRUE(contains(file, ",\"\n\",")) << file;
  const Outcome out = score({"--text", "the mill.\n", "--csv", "-"});
  EXPECT_EQ(out.out, file);
}

TEST_F(ScoreText, ShowsPeopleTheFiguresAndWhatSurprisedTheModel) {
  train();
  const Outcome outcome = score({"held-out.txt"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("run runs/mine, step-6\n\ntokens"), 0U) << outcome.out;
  const std::size_t table = outcome.out.find("What surprised it most:\n");
  ASSERT_NE(table, std::string::npos);
  EXPECT_EQ(std::count(outcome.out.begin() + static_cast<std::ptrdiff_t>(table), outcome.out.end(), '\n'), 1 + 1 + 10);
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos) << "no colours where there is no terminal";
  const Outcome table_of = score({"--text", "the mill", "--tokens"});
  EXPECT_EQ(std::count(table_of.out.begin(), table_of.out.end(), '\n'), 2 + 7 + 1 + 1 + 7) << table_of.out;
}

TEST_F(ScoreText, ColoursAShortTextOnATerminal) {
  train();
  const Outcome outcome = testing::run_on_terminal(folder_, {"score", "--text", "the mill"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "\x1b[48;5;")) << outcome.out;
  EXPECT_FALSE(contains(outcome.out, "What surprised it most")) << outcome.out;
}

TEST_F(ScoreText, LeavesNothingBehindAClosedPipe) {
  train();
  fs::create_directory(fs::path(folder_) / "tmp");
  const Outcome outcome =
      testing::run_shell(folder_, "TMPDIR=$PWD/tmp; export TMPDIR; tinylm score text.txt --csv - | head -1; ls tmp");
  EXPECT_EQ(outcome.out, "position,id,text,loss_nats\n") << outcome.err;
}

TEST_F(ScoreText, RefusesTextsThatCannotBeScored) {
  train();
  const auto expect = [&](const std::vector<std::string>& arguments, int exit_code, const std::string& message) {
    const Outcome outcome = score(arguments);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, message)) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  };
  write("odd.txt", "the mill\nat 7\n");
  write("latin1.txt", "caf\xe9 au lait\n");
  write("empty.txt", "");
  expect({"odd.txt"}, 3, "odd.txt, line 2, column 4: the char tokenizer has no token for \"7\" (U+0037)");
  expect({"--text", "mill 7"}, 3, "--text, line 1, column 6: the char tokenizer has no token for \"7\"");
  expect({"latin1.txt"}, 3, "latin1.txt");
  expect({"empty.txt"}, 3, "there is no text in it");
  expect({"--text", "t"}, 3, "the text has 1 token, at least 2 are needed");
  expect({"nothing.txt"}, 4, "nothing.txt: no such file or folder");
  expect({"held-out.txt", "--csv", "text.txt/losses.csv"}, 4, "text.txt");
  for (const char* folder : {".", "new/"})
    expect({"held-out.txt", "--csv", folder}, 4, "is a folder; give --csv a file");
}

TEST_F(ScoreText, RefusesAModelThatWasShownTheAnswers) {
  train({"--attention-mask", "none"});
  const Outcome outcome = score({"held-out.txt"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(contains(outcome.err, "attention_mask none")) << outcome.err;
}

}  // namespace
}  // namespace tinylm
