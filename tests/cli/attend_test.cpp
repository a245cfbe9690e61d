// The command that works an attention calculation out, run as its users do.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace tinylm {
namespace {

using testing::contains;
using testing::Outcome;
using testing::run_program;

Outcome attend(std::vector<std::string> arguments, const std::string& input = "") {
  arguments.insert(arguments.begin(), "attend");
  return run_program(".", arguments, input);
}

nlohmann::json attend_json(std::vector<std::string> arguments) {
  arguments.push_back("--json");
  const Outcome outcome = attend(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

std::vector<std::string> flags(const std::string& q, const std::string& k, const std::string& v) {
  return {"--query", q, "--keys", k, "--values", v};
}

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(AttendProgram, GivesTheKnownAnswers) {
  const nlohmann::json second = attend_json(flags("0,1", "1,0;0,1", "6,0;0,3"));
  EXPECT_NEAR(second["weights"][0][0], 0.3302, 5e-5);
  EXPECT_NEAR(second["output"][0][0], 1.981430704, 1e-8);
  EXPECT_NEAR(second["output"][0][1], 2.0093, 5e-5);

  const std::vector<std::string> first = flags("1,0", "1,0;0,1", "2,0;0,4");
  EXPECT_NEAR(attend_json(first)["output"][0][0], 1.3395, 5e-5);
  EXPECT_NEAR(attend_json(first)["output"][0][1], 1.3210, 5e-5);
  const nlohmann::json masked = attend_json(with(first, {"--mask", "1,0"}));
  EXPECT_EQ(masked["weights"], nlohmann::json::parse("[[1.0,0.0]]"));
  EXPECT_EQ(masked["output"], nlohmann::json::parse("[[2.0,0.0]]"));

  const nlohmann::json larger = attend_json(flags("1", "0;1", "2,0;0,2"));
  EXPECT_GT(larger["output"][0][1], larger["output"][0][0]);
}

TEST(AttendProgram, KeepsTheLimitsOfTheDefinition) {
  EXPECT_EQ(attend_json(flags("0,0", "3,1;-2,5", "1;2"))["weights"], nlohmann::json::parse("[[0.5,0.5]]"));
  EXPECT_EQ(attend_json(flags("9", "4", "1,2"))["weights"], nlohmann::json::parse("[[1.0]]"));
  EXPECT_EQ(attend_json(flags("1e4", "1;1", "1;2"))["weights"], nlohmann::json::parse("[[0.5,0.5]]"));
  const nlohmann::json causal = attend_json(with(flags("1e3;1e3", "1;1e4", "1;5"), {"--causal"}));
  EXPECT_EQ(causal["weights"], nlohmann::json::parse("[[1.0,0.0],[0.0,1.0]]"));
  EXPECT_EQ(causal["allowed"], nlohmann::json::parse("[[true,false],[true,true]]"));
}

TEST(AttendProgram, ShowsTheCalculationWithTheDigitsAskedFor) {
  const Outcome outcome = attend(with(flags("0,1", "1,0;0,1", "6,0;0,3"), {"--digits", "9"}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(contains(outcome.out, "[1.981430704, 2.009284648]")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "bidirectional")) << outcome.out;
}

TEST(AttendProgram, WorksOutAnExampleWithoutArguments) {
  const Outcome outcome = attend({});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(contains(outcome.out, "[1.9814, 2.0093]")) << outcome.out;
  EXPECT_TRUE(contains(outcome.err, "give your own with --query, --keys and --values")) << outcome.err;
}

TEST(AttendProgram, FillsTheCausalMatrixRowByRow) {
  const Outcome outcome = attend({"--watch", "--digits", "2"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(contains(outcome.out, "query   1   1.00      .      .      .   sum 1.00  ok\n")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "query   4")) << outcome.out;
}

TEST(AttendProgram, PractisesWithWhatIsPipedIn) {
  const Outcome outcome = attend({"--practice", "--seed", "4", "--exercises", "1"}, "1\nq\n");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "tinylm attend --practice --seed 4")) << outcome.out;
  EXPECT_EQ(attend({"--practice", "--seed", "4", "--exercises", "1"}, "1\nq\n").out, outcome.out);
}

struct Refused {
  std::vector<std::string> arguments;
  int exit_code;
  std::string words;
};

TEST(AttendProgram, SaysWhatIsWrong) {
  const std::vector<std::string> example = flags("0,1", "1,0;0,1", "6,0;0,3");
  for (const Refused& refused :
       std::vector<Refused>{{flags("0,1", "1,0;0", "1;2"), 3, "--keys: row 1 has 2 numbers and row 2 has 1"},
                            {flags("0,1,2", "1,0;0,1", "1;2"), 3, "found 1 query of 3 numbers and 2 keys of 2 numbers"},
                            {flags("0,1", "1,0;0,1", "1"), 3, "each key needs one value"},
                            {flags("0,nan", "1,0;0,1", "1;2"), 3, "--query: number 2 of row 1 is \"nan\""},
                            {with(example, {"--mask", "1,0,1"}), 3, "expected 1 row of 2, found 1 of 3"},
                            {{"--query", "0,1"}, 2, "needs --query, --keys and --values"},
                            {{"--causal"}, 2, "needs --query, --keys and --values"},
                            {with(example, {"--digits", "16"}), 2, "--digits must be 0 to 15, not 16"},
                            {{"--json", "--digits", "2"}, 2, "--digits belongs to the text"},
                            {{"--json", "--watch"}, 2, "three ways to show it"},
                            {with(example, {"--practice"}), 2, "--practice makes its own vectors"},
                            {{"--seed", "3"}, 2, "belong to --practice"},
                            {{"--practice", "--exercises", "0"}, 2, "--exercises must be at least 1, not 0"}}) {
    const Outcome outcome = attend(refused.arguments);
    EXPECT_EQ(outcome.exit_code, refused.exit_code) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, refused.words)) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

}  // namespace
}  // namespace tinylm
