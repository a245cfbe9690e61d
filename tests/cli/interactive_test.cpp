// tinylm sample --interactive, from a pipe and at a terminal.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "cli/program.h"
#include "cli/sample_session.h"
#include "core/files.h"

namespace tinylm {
namespace {

using testing::contains;
using testing::Outcome;
using testing::run_program;
namespace fs = std::filesystem;

class Interactive : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = testing::fresh_folder("interactive");
    write_atomically(fs::path(folder_) / "text.txt", testing::words(5000));
    testing::train_small_run(folder_, "runs/mine", {"--context", "32"});
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }

  static std::vector<std::string> call(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"sample", "-i", "--seed", "3", "--ban", "\n", "--ban", "END"});
    if (std::find(more.begin(), more.end(), "--max-tokens") == more.end())
      more.insert(more.end(), {"--max-tokens", "12"});
    return more;
  }
  static Outcome typed(const std::string& lines, const std::vector<std::string>& more = {}) {
    return run_program(folder_, call(more), lines);
  }
  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  static std::string folder_;
};

std::string Interactive::folder_;

TEST_F(Interactive, ALineIsAPromptAndTheFirstTextIsThatOfSample) {
  const Outcome outcome = typed("the fox\n");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Outcome sample = run_program(
      folder_, {"sample", "--prompt", "the fox", "--seed", "3", "--max-tokens", "12", "--ban", "\n", "--ban", "END"});
  EXPECT_EQ(outcome.out, sample.out);
}

TEST_F(Interactive, AnEmptyLineGoesOnAndTextIsAdded) {
  const std::vector<std::string> lines = lines_of(typed("the fox\n\n:add  waits\n:text\n").out);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_TRUE(lines[2].starts_with(" waits")) << lines[2];
  EXPECT_EQ(lines[3], lines[0] + lines[1] + lines[2]);
}

TEST_F(Interactive, UndoGoesBackAndRetryWritesAnew) {
  const std::vector<std::string> lines = lines_of(typed("the fox\n\n:undo\n:retry\n:undo\n:undo\n").out);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[2], lines[0]);
  EXPECT_TRUE(lines[3].starts_with("the fox"));
  EXPECT_NE(lines[3], lines[0]);
  EXPECT_EQ(lines[4], "");
  EXPECT_TRUE(contains(typed(":undo\n").err, "there is nothing to undo"));
}

TEST_F(Interactive, SettingsAreShownChangedAndReset) {
  const std::vector<std::string> lines =
      lines_of(typed(":temperature\n:temperature 0.25\n:top-k 7\n:stop x\n:reset stop\n:max_tokens 3\nthe fox\n").out);
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_EQ(lines[0], "temperature 0.8");
  EXPECT_EQ(lines[1], "temperature 0.25");
  EXPECT_EQ(lines[2], "top-k 7");
  EXPECT_EQ(lines[3], "stop [\"x\"]");
  EXPECT_EQ(lines[4], "stop none");
  EXPECT_EQ(lines[5], "max-tokens 3");
  EXPECT_EQ(lines[6].size(), std::string("the fox").size() + 3);
  const std::string all = typed(":top-p 0.5\n:settings\n").out;
  EXPECT_TRUE(contains(all, ":top-p               0.5")) << all;
  EXPECT_TRUE(contains(all, ":beams"));
}

TEST_F(Interactive, WhatCannotBeMeantIsSaidAndChangesNothing) {
  const Outcome outcome =
      typed(":temperature -1\n:temperature\n:temprature 1\n:top-k many\n:ban zz\n:undo it\nthe %\n:quit\nthe\n");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "temperature is -1.0, expected 0 (greedy) or a positive number"));
  EXPECT_TRUE(contains(outcome.err, "there is no command or setting ':temprature'; did you mean 'temperature'?"));
  EXPECT_TRUE(contains(outcome.err, "top-k: found 'many', expected a whole number"));
  EXPECT_TRUE(contains(outcome.err, "\"zz\" is no token of this run"));
  EXPECT_TRUE(contains(outcome.err, ":undo takes nothing after it, found 'it'"));
  EXPECT_TRUE(contains(outcome.err, "'%'")) << outcome.err;
  EXPECT_EQ(outcome.out, "temperature 0.8\n") << "and nothing after :quit";
}

TEST_F(Interactive, AlternativesAreThoseOfTheLastTokens) {
  const std::vector<std::string> lines = lines_of(typed("the fox\n:alternatives 3\n").out);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[1], "token  probability  entropy  likeliest");
  EXPECT_TRUE(contains(typed(":alternatives\n").err, "nothing was written yet"));
}

TEST_F(Interactive, HelpAndExplainAreAnswered) {
  const std::string text = typed(":help\n:explain\n").out;
  EXPECT_TRUE(contains(text, ":retry")) << text;
  EXPECT_TRUE(contains(text, "logits to the next token"));
}

TEST_F(Interactive, RefusesFlagsOfOtherOutputs) {
  EXPECT_EQ(typed("", {"--json"}).exit_code, 2);
  EXPECT_TRUE(contains(typed("", {"--samples", "2"}).err, "--interactive writes one text a line"));
  EXPECT_TRUE(contains(typed("", {"--prompt-file", "-"}).err, "--interactive reads its lines from standard input"));
}

TEST_F(Interactive, AtATerminalLinesAreEditedAndRemembered) {
  testing::TypedSession session(folder_, call());
  EXPECT_TRUE(contains(session.seen_until("> "), ":help lists commands"));
  session.type_at_the_prompt(":temperatureX\x7f 0.5\n");  // Backspace takes the X
  EXPECT_TRUE(contains(session.seen_until("\ntemperature 0.5\r\n"), "\ntemperature 0.5\r\n"));
  session.type_at_the_prompt(
      "\x1b[A"
      "\x7f"
      "75\n");  // the line before, with another end: 0.75
  EXPECT_TRUE(contains(session.seen_until("\ntemperature 0.75\r\n"), "\ntemperature 0.75\r\n"));
  session.type_at_the_prompt("\x04");
  EXPECT_EQ(session.exit_code(), 0);
}

TEST_F(Interactive, AtATerminalCtrlCEndsTheSampleOrGivesUpTheLineAndNotTheProgram) {
  testing::TypedSession session(folder_, call({"--max-tokens", "100000000"}));
  session.type_at_the_prompt("the fox\n");
  EXPECT_TRUE(contains(session.seen_until("\nthe fox"), "\nthe fox"));  // not its echo: the sample has begun
  session.type("\x03");
  EXPECT_TRUE(contains(session.seen_until("\r\n> "), "\r\n> "));
  session.type_at_the_prompt("half a line\x03");
  EXPECT_TRUE(contains(session.seen_until("^C\r\n"), "^C"));
  session.type_at_the_prompt(":temperature 0.3\n");
  EXPECT_TRUE(contains(session.seen_until("\ntemperature 0.3\r\n"), "\ntemperature 0.3\r\n"));
  session.type_at_the_prompt(":quit\n");
  EXPECT_EQ(session.exit_code(), 0);
}

TEST(Unescaped, KnowsLineEndsTabsAndBackslashes) {
  EXPECT_EQ(unescaped("a\\nb\\tc\\\\n\\x\\"), "a\nb\tc\\n\\x\\");
}

}  // namespace
}  // namespace tinylm
