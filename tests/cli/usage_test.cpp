// What the program says to arguments, files and texts that cannot be meant; exit codes as docs/training.md lists them.
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/program.h"
#include "core/files.h"

namespace tinylm {
namespace {

using testing::fresh_folder;
using testing::Outcome;
using testing::run_program;
namespace fs = std::filesystem;

struct Case {
  std::string name;
  std::vector<std::string> arguments;
  int exit_code;
  std::string message;
};

class Usage : public ::testing::TestWithParam<Case> {};

TEST_P(Usage, IsAnsweredWithAReason) {
  const std::string folder = fresh_folder("usage");
  const auto write = [&](const std::string& name, const std::string& text) {
    write_atomically(fs::path(folder) / name, text);
  };
  write("text.txt", testing::words(3000));
  write("short.txt", "red fox\n");
  write("empty.txt", "");
  write("latin1.txt", "caf\xe9 au lait\n");
  write("typo.toml", "[model]\nlayer = 3\n");
  write("type.toml", "[model]\nlayers = \"three\"\n");
  const Outcome outcome = run_program(folder, GetParam().arguments);
  EXPECT_EQ(outcome.exit_code, GetParam().exit_code) << outcome.err;
  EXPECT_NE(outcome.err.find(GetParam().message), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.out, "") << "stdout is for results";
  EXPECT_FALSE(fs::exists(fs::path(folder) / "run")) << "what cannot be trained leaves no run";
  fs::remove_all(folder);
}

const Case kCases[] = {
    {"UnknownCommand", {"tran"}, 2, "did you mean 'train'?"},
    {"UnknownCommandWithHelp", {"tran", "--help"}, 2, "did you mean 'train'?"},
    {"FlagGivenTwice", {"train", "text.txt", "--out", "run", "--out", "run"}, 2, "--out is given more than once"},
    {"FlagWithoutValue", {"train", "--resume"}, 2, "--resume needs a value after it"},
    {"EmptyText", {"train", "", "--out", "run"}, 2, "a TEXT is empty"},
    {"PatienceWithoutValidation",
     {"train", "text.txt", "--val-fraction", "0", "--patience", "2", "--out", "run"},
     2,
     "no text is held out to wait for"},
    {"AllHeldOut",
     {"train", "text.txt", "--val-fraction", "0.99", "--out", "run"},
     3,
     "lower --val-fraction or --context"},
    {"UnknownFlag", {"train", "text.txt", "--stepps", "3"}, 2, "did you mean --steps?"},
    {"UnknownPreset", {"train", "text.txt", "--preset", "shakespear-tiny"}, 2, "shakespeare-tiny"},
    {"UnknownKey", {"train", "text.txt", "--config", "typo.toml", "--out", "run"}, 2, "layers"},
    {"WrongTypeInFile", {"train", "text.txt", "--config", "type.toml", "--out", "run"}, 2, "three"},
    {"WrongTypeOfFlag", {"train", "text.txt", "--layers", "three", "--out", "run"}, 2, "--layers"},
    {"UnknownWord", {"train", "text.txt", "--positions", "rotary", "--out", "run"}, 2, "rope"},
    {"WidthOfHeads", {"train", "text.txt", "--width", "100", "--heads", "3", "--out", "run"}, 2, "heads"},
    {"BatchOfAccumulate", {"train", "text.txt", "--batch", "10", "--accumulate", "3", "--out", "run"}, 2, "accumulate"},
    {"MissingText", {"train", "nothing.txt", "--out", "run"}, 4, "nothing.txt"},
    {"ShortText", {"train", "short.txt", "--out", "run"}, 3, "--context"},
    {"TextWithoutText", {"train", "empty.txt", "--out", "run"}, 3, "empty"},
    {"NotUtf8", {"train", "latin1.txt", "--out", "run"}, 3, "--bad-utf8 replace"},
    {"NoRun", {"sample", "nowhere"}, 4, "nowhere"},
    {"NoRunsAtAll", {"sample"}, 4, "tinylm train"},
    {"NegativeTemperature", {"sample", "nowhere", "--temperature", "-1"}, 2, "temperature"},
    {"CheckOfOneHead", {"inspect", "nowhere", "--check", "--head", "0.0"}, 2, "--check and --probe look at every head"},
    {"CheckAndExplain", {"inspect", "nowhere", "--check", "--explain", "0.0.0"}, 2, "different things to do: give one"},
    {"DigitsOfExplain",
     {"inspect", "nowhere", "--explain", "0.0.0", "--digits", "16"},
     2,
     "--digits must be 0 to 15, not 16"},
    {"DigitsWithoutExplain", {"inspect", "nowhere", "--digits", "3"}, 2, "--explain"},
    {"HeadOfInspect", {"inspect", "nowhere", "--head", "0"}, 2, "a layer and a head, counted from 0, such as 0.2"},
    {"TwoPrompts", {"sample", "nowhere", "--prompt", "a", "--prompt-file", "text.txt"}, 2, "--prompt-file"},
    {"NoTasks", {"score"}, 2, "name a file of tasks with --tasks FILE"},
    {"NothingToScore", {"score"}, 2, "nothing to score was given: name a TEXT"},
    {"TextAndTasks", {"score", "short.txt", "--tasks", "text.txt"}, 2, "score a text: give one"},
    {"LiteralAndTasks", {"score", "--text", "a", "--tasks", "text.txt"}, 2, "score a text: give one"},
    {"TextAndLiteral", {"score", "short.txt", "--text", "a"}, 2, "both name the text: give one"},
    {"EmptyLiteral", {"score", "--text", ""}, 2, "an empty value was given"},
    {"EmptyTextToScore", {"score", ""}, 2, "an empty name"},
    {"StdinTwiceToScore", {"score", "-", "-"}, 2, "it can be read once"},
    {"StrideOfTasks", {"score", "--tasks", "text.txt", "--stride", "4"}, 2, "leave them out with --tasks"},
    {"TokensOfTasks", {"score", "--tasks", "text.txt", "--tokens"}, 2, "leave them out with --tasks"},
    {"TwoOutputsOfScore", {"score", "short.txt", "--json", "--csv", "-"}, 2, "both write to standard output"},
    {"TokensTwice", {"score", "short.txt", "--tokens", "--csv", "-"}, 2, "leave out --tokens"},
    {"NoRunsToScoreWith", {"score", "short.txt"}, 4, "tinylm train"},
    {"NoRunToScore", {"score", "--run", "nowhere", "--tasks", "text.txt"}, 4, "nowhere"},
    {"MachineOfARun",
     {"info", "nowhere", "--machine"},
     2,
     "--machine tells about this machine and takes no run; leave out RUN or --machine"},
    {"NoRunToServe", {"serve", "nowhere"}, 4, "nowhere"},
    {"ServeToOthersWithoutToken", {"serve", "nowhere", "--host", "0.0.0.0"}, 2, "can be reached from other machines"},
    {"ServeAtAName", {"serve", "nowhere", "--host", "localhost"}, 2, "expected a numeric address"},
    {"UnknownPartOfBench", {"bench", "--only", "trainning"}, 2, "did you mean 'training'?"},
    {"NoRounds", {"bench", "--rounds", "0"}, 2, "expected 1 to 10000"},
    {"QuickAndRounds", {"bench", "--quick", "--rounds", "5"}, 2, "give one of them"},
    {"NegativeThreads", {"bench", "--threads", "-2"}, 2, "threads"},
    {"MoreMemoryThanThereIs",
     {"train", "text.txt", "--width", "65536", "--layers", "200", "--out", "run"},
     6,
     "memory"},
};

INSTANTIATE_TEST_SUITE_P(Program, Usage, ::testing::ValuesIn(kCases), [](const auto& test) { return test.param.name; });

TEST(Program, ExplainsItselfWithoutArguments) {
  const std::string folder = fresh_folder("usage");
  const Outcome outcome = run_program(folder, {});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* command : {"train", "sample", "inspect", "score", "plan", "info", "bench"}) {
    EXPECT_NE(outcome.out.find(command), std::string::npos) << command;
    const Outcome help = run_program(folder, {command, "--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_NE(help.out.find(std::string("  tinylm ") + command), std::string::npos) << "an example of " << command;
  }
  EXPECT_EQ(run_program(folder, {"--version"}).out, std::string("tinylm ") + TINYLM_VERSION + "\n");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tinylm
