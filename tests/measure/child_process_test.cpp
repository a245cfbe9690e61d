#include "measure/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "core/errors.h"
#include "test_support.h"
#include "testing/script.h"

namespace tinylm {
namespace {

std::string script(const std::string& body) {
  return testing::write_script(test::fresh_folder() / "child", body).string();
}

/// Whether the process is gone, or goes within ten seconds.
bool ends(pid_t process) {
  for (int i = 0; i < 1000 && ::kill(process, 0) == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return ::kill(process, 0) != 0;
}

TEST(ChildProcess, AnswersLineByLine) {
  ChildProcess child({script("while read -r line; do echo \"$1 $line\"; done"), "heard"});
  EXPECT_EQ(child.ask("one"), "heard one");
  EXPECT_EQ(child.ask("two"), "heard two");
}

TEST(ChildProcess, KeepsWhatIsWrittenAheadForTheNextQuestion) {
  ChildProcess child({script("echo a; echo b; read -r line; echo c; read -r line")});
  EXPECT_EQ(child.read_line(), "a");
  EXPECT_EQ(child.read_line(), "b");
  EXPECT_EQ(child.ask("more"), "c");
}

TEST(ChildProcess, GivesVariablesThatTheEnvironmentLacks) {
  const std::string shows = script("echo \"$TINYLM_TEST_A $TINYLM_TEST_B\"; read -r line");
  ::setenv("TINYLM_TEST_B", "theirs", 1);
  ChildProcess child({shows}, {{"TINYLM_TEST_A", "ours"}, {"TINYLM_TEST_B", "ours"}});
  ::unsetenv("TINYLM_TEST_B");
  EXPECT_EQ(child.read_line(), "ours theirs");
}

TEST(ChildProcess, NamesAProgramThatIsNotThere) {
  const std::string message = test::message_of<FileError>([] { ChildProcess({"/nowhere/child"}); });
  expect_contains(message, "cannot start '/nowhere/child': No such file");
}

TEST(ChildProcess, NamesAProgramThatEndsInsteadOfAnswering) {
  const std::string file = script("read -r line; exit 3");
  const std::string message = test::message_of<FileError>([&] { ChildProcess({file}).ask("a"); });
  expect_contains(message, "'" + file + "' ended with exit code 3");
}

TEST(ChildProcess, NamesTheSignalThatEndedAProgram) {
  const std::string file = script("kill -SEGV $$");
  const std::string message = test::message_of<FileError>([&] {
    ChildProcess child({file});
    while (true) child.ask("a");
  });
  expect_contains(message, "was ended by signal 11");
}

TEST(ChildProcess, EndsWithItsOwner) {
  pid_t process = 0;
  {
    ChildProcess child({script("echo $$; while true; do read -r line; done")});
    process = std::stoi(child.read_line());
    EXPECT_EQ(::kill(process, 0), 0);
  }
  EXPECT_TRUE(ends(process));
}

TEST(ChildProcess, IsInAGroupOfItsOwnThatCtrlCDoesNotReach) {
  ChildProcess child({script("echo $$; read -r line")});
  const pid_t process = std::stoi(child.read_line());
  EXPECT_EQ(::getpgid(process), process);
}

TEST(ChildProcess, DoesNotKeepTheOthersWaiting) {
  const std::string file = script("echo $$; read -r line; exit 0");
  auto first = std::make_unique<ChildProcess>(std::vector<std::string>{file});
  const pid_t process = std::stoi(first->read_line());
  ChildProcess second({file});  // must not have the other's socket
  second.read_line();
  first.reset();
  EXPECT_TRUE(ends(process));
}

}  // namespace
}  // namespace tinylm
