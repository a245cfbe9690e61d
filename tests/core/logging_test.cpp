#include "core/logging.h"

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdlib>
#include <regex>

#include "core/errors.h"
#include "core/files.h"
#include "test_support.h"
#include "testing/pseudo_terminal.h"

namespace tinylm {
namespace {

const std::string kClear = "\r\x1b[J";

/// What `act` writes to stderr when that is a file.
template <class Act>
std::string plain_stderr(const Act& act) {
  ::testing::internal::CaptureStderr();
  act();
  return ::testing::internal::GetCapturedStderr();
}

/// What `act` writes to stderr when that is a terminal of `columns` columns.
template <class Act>
std::string terminal_stderr(unsigned short columns, const Act& act) {
  testing::PseudoTerminal pseudo(columns);
  const int before = ::dup(STDERR_FILENO);
  ::dup2(pseudo.terminal(), STDERR_FILENO);
  ::setenv("TERM", "xterm", 1);
  act();
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  return pseudo.seen();
}

void say_everything() {
  spdlog::debug("details");
  spdlog::info("loss {}", 1.5);
  spdlog::warn("slow");
  spdlog::error("broken");
}

TEST(Logging, WritesMessagesWithoutOrnamentToStderrOnly) {
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(plain_stderr([] {
              start_logging(Verbosity::kNormal);
              say_everything();
            }),
            "loss 1.5\nwarning: slow\nerror: broken\n");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

TEST(Logging, IsQuietOrVerboseAsAsked) {
  EXPECT_EQ(plain_stderr([] {
              start_logging(Verbosity::kQuiet);
              say_everything();
            }),
            "warning: slow\nerror: broken\n");
  EXPECT_EQ(plain_stderr([] {
              start_logging(Verbosity::kVerbose);
              say_everything();
            }),
            "details\nloss 1.5\nwarning: slow\nerror: broken\n");
}

TEST(Logging, KeepsEverythingWithTimeAndLevelInAFile) {
  const auto file = test::fresh_folder() / "train.log";
  plain_stderr([&] {
    start_logging(Verbosity::kQuiet);
    add_log_file(file);
    say_everything();
    start_logging(Verbosity::kNormal);
  });
  const std::string time = R"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} )";
  const std::regex expected(time + "debug details\n" + time + "info loss 1\\.5\n" + time + "warning slow\n" + time +
                            "error broken\n");
  EXPECT_TRUE(std::regex_match(read_file(file), expected)) << read_file(file);
}

TEST(Logging, PutsIntoTheFileWhatWasSaidBeforeThereWasOne) {
  const auto file = test::fresh_folder() / "train.log";
  plain_stderr([&] {
    start_logging(Verbosity::kQuiet);
    spdlog::info("chosen");
    add_log_file(file);
    spdlog::info("later");
    start_logging(Verbosity::kNormal);
  });
  const std::string text = read_file(file);
  EXPECT_TRUE(std::regex_search(text, std::regex("info chosen\n.* info later\n$"))) << text;
}

TEST(Logging, AppendsToAFileAndLeavesTheOneBefore) {
  const auto folder = test::fresh_folder();
  write_atomically(folder / "b.log", "earlier\n");
  plain_stderr([&] {
    start_logging(Verbosity::kNormal);
    add_log_file(folder / "a.log");
    add_log_file(folder / "b.log");
    spdlog::info("later");
    start_logging(Verbosity::kNormal);
  });
  EXPECT_EQ(read_file(folder / "a.log"), "");
  const std::string text = read_file(folder / "b.log");
  EXPECT_TRUE(text.starts_with("earlier\n") && text.ends_with("later\n")) << text;
}

TEST(Logging, ReportsAFileItCannotOpen) {
  const auto folder = test::fresh_folder();
  const std::string message = test::message_of<FileError>([&] { add_log_file(folder); });
  EXPECT_TRUE(message.starts_with("cannot open the log file '" + folder.string() + "': ")) << message;
}

TEST(LiveLine, RewritesSeveralLinesOnATerminal) {
  EXPECT_EQ(terminal_stderr(20,
                            [] {
                              start_logging(Verbosity::kNormal);
                              LiveLine line;
                              line.show("one\ntwo");
                              line.show("three\n" + std::string(30, 'x'));
                              spdlog::info("said");
                              line.finish();
                              start_logging(Verbosity::kNormal);
                            }),
            kClear + "one\ntwo\r\x1b[A\x1b[Jthree\n" + std::string(19, 'x') + "\r\x1b[A\x1b[Jsaid\nthree\n" +
                std::string(19, 'x') + "\n");
}

TEST(LiveLine, PrintsPlainLinesNowAndThenWithoutATerminal) {
  EXPECT_EQ(plain_stderr([] {
              start_logging(Verbosity::kNormal);
              LiveLine line(3600);
              line.show("step 1");
              line.show("step 2");
              line.show("step 3", true);
              line.show("step 4");
              line.show("step 5");
              spdlog::info("message");
              line.finish();
            }),
            "step 1\nstep 3\nmessage\nstep 5\n");
}

TEST(LiveLine, PrintsEveryPlainLineWithAnIntervalOfZero) {
  EXPECT_EQ(plain_stderr([] {
              start_logging(Verbosity::kNormal);
              LiveLine line(0);
              line.show("step 1");
              line.show("step 2");
            }),
            "step 1\nstep 2\n");
}

TEST(LiveLine, IsSilentWhenQuiet) {
  EXPECT_EQ(plain_stderr([] {
              start_logging(Verbosity::kQuiet);
              LiveLine line(0);
              line.show("step 1", true);
            }),
            "");
}

TEST(LiveLine, IsRewrittenInPlaceBelowTheMessages) {
  EXPECT_EQ(terminal_stderr(80,
                            [] {
                              start_logging(Verbosity::kNormal);
                              LiveLine line;
                              line.show("step 1");
                              spdlog::warn("slow");
                              line.show("step 2");
                              line.finish();
                              spdlog::info("done");
                            }),
            kClear + "step 1" + kClear + "warning: slow\nstep 1" + kClear + "step 2\ndone\n");
}

TEST(LiveLine, IsFinishedWhenItGoes) {
  EXPECT_EQ(terminal_stderr(80,
                            [] {
                              start_logging(Verbosity::kNormal);
                              LiveLine().show("step 1");
                            }),
            kClear + "step 1\n");
}

TEST(LiveLine, IsCutToTheColumnsOfTheTerminal) {
  EXPECT_EQ(terminal_stderr(8,
                            [] {
                              start_logging(Verbosity::kNormal);
                              LiveLine line;
                              line.show("0123456789");
                              line.show("日本日本");  // two columns each: three fit into seven
                              line.show("é\xFF");
                            }),
            kClear + "0123456" + kClear + "日本日" + kClear + "é\uFFFD\n");
}

TEST(LiveLine, IsPlainOnATerminalThatCannotMoveTheCursor) {
  EXPECT_EQ(terminal_stderr(80,
                            [] {
                              ::setenv("TERM", "dumb", 1);
                              start_logging(Verbosity::kNormal);
                              LiveLine().show("step 1");
                            }),
            "step 1\n");
}

}  // namespace
}  // namespace tinylm
