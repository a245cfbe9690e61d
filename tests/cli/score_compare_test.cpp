// tinylm score --compare: two runs on one text.
#include <gtest/gtest.h>

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

class ScoreCompare : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = testing::fresh_folder("score-compare");
    const std::string words = testing::words(8000);
    write_atomically(fs::path(folder_) / "text.txt", words.substr(0, 5000));
    write_atomically(fs::path(folder_) / "other.txt", words.substr(5000));
    train("short", {"--steps", "2"});
    train("long", {"--steps", "60"});
    train("bytes", {"--steps", "2", "--tokenizer", "byte"});
    train("lines", {"--steps", "2", "--documents", "line"});
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }
  static void train(const std::string& name, std::vector<std::string> more) {
    more.insert(more.end(), {"--batch", "8", "--learning-rate", "0.01"});
    testing::train_small_run(folder_, name, more);
  }
  static Outcome score(std::vector<std::string> more) {
    more.insert(more.begin(), "score");
    return run_program(folder_, more);
  }
  static Json scored(std::vector<std::string> more) {
    more.emplace_back("--json");
    const Outcome outcome = score(more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.exit_code == 0 ? Json::parse(outcome.out) : Json();
  }

  static std::string folder_;
};

std::string ScoreCompare::folder_;

TEST_F(ScoreCompare, GivesTheDifferenceOfTheTwoScores) {
  const Json found = scored({"other.txt", "--compare", "long", "short"});
  const Json a = scored({"other.txt", "--run", "long"}), b = scored({"other.txt", "--run", "short"});
  EXPECT_NEAR(found["difference_bits_per_byte"], a["bits_per_byte"].get<double>() - b["bits_per_byte"].get<double>(),
              1e-9);
  EXPECT_EQ(found["runs"][0]["total_loss_nats"], a["total_loss_nats"]);
  EXPECT_EQ(found["same_tokens"], true);
  EXPECT_EQ(found["most_different"].size(), 10U);
  EXPECT_LT(found["interval_bits_per_byte"][0], found["difference_bits_per_byte"]);
  EXPECT_LT(found["difference_bits_per_byte"], found["interval_bits_per_byte"][1]);
  EXPECT_LT(found["interval_bits_per_byte"][1], 0.0) << "sixty steps teach more than two";
}

TEST_F(ScoreCompare, TurnsItsSignWithTheOrderOfTheRuns) {
  const Json one = scored({"other.txt", "--compare", "long", "short"});
  const Json other = scored({"other.txt", "--compare", "short", "long"});
  EXPECT_NEAR(one["difference_bits_per_byte"], -other["difference_bits_per_byte"].get<double>(), 1e-12);
  const Json itself = scored({"other.txt", "--compare", "long", "long"});
  EXPECT_EQ(itself["interval_bits_per_byte"], Json({0.0, 0.0}));
  EXPECT_TRUE(itself["most_different"].empty());
}

TEST_F(ScoreCompare, ComparesDifferentTokenizersByBytesAndSaysSo) {
  const Outcome outcome = score({"other.txt", "--compare", "long", "bytes"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "The tokenizers differ, so nats/token do not compare.")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "A predicts texts like this one better.")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "A - B  text ")) << outcome.out;
}

TEST_F(ScoreCompare, RefusesWhatCannotBeCompared) {
  const struct {
    std::vector<std::string> arguments;
    int exit_code;
    std::string message;
  } refusals[] = {
      {{"other.txt", "--compare", "long", "lines"}, 3, "the two runs read the text differently"},
      {{"-", "--compare", "long", "short"}, 2, "--compare reads the text twice"},
      {{"other.txt", "--compare", "long", "short", "--tokens"}, 2, "are about one run: leave them out with --compare"},
      {{"other.txt", "--compare", "long", "short", "--run", "long"}, 2, "are about one run"},
      {{"--text", "the fox", "--compare", "long", "short"}, 3, "the text is too short to say how sure"},
      {{"other.txt", "--compare", "long", "nowhere"}, 4, "nowhere"},
      {{"other.txt", "--compare", "long"}, 2, "--compare takes 2 values after it, and was given 1"},
      {{"other.txt", "--seed", "3"}, 2, "--seed is of the interval that --compare gives"},
  };
  for (const auto& refusal : refusals) {
    const Outcome outcome = score(refusal.arguments);
    EXPECT_EQ(outcome.exit_code, refusal.exit_code) << refusal.message << "\n" << outcome.err;
    EXPECT_TRUE(contains(outcome.err, refusal.message)) << outcome.err;
  }
}

}  // namespace
}  // namespace tinylm
