// tinylm sample: what its options print, and what they refuse.
#include <gtest/gtest.h>

#include <algorithm>
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

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

/// A run trained for a moment, whose context is 16 characters.
class Sample : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = testing::fresh_folder("sample");
    write_atomically(fs::path(folder_) / "text.txt", testing::words(5000));
    testing::train_small_run(folder_, "runs/mine");
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }

  static std::vector<std::string> call(std::vector<std::string> more) {
    more.insert(more.begin(), {"sample", "--prompt", "the ", "--seed", "3"});
    return more;
  }
  static Outcome sample(const std::vector<std::string>& more) { return run_program(folder_, call(more)); }
  static Json sampled(std::vector<std::string> more) {
    more.emplace_back("--json");
    const Outcome outcome = sample(more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.exit_code == 0 ? Json::parse(outcome.out) : Json();
  }

  static std::string folder_;
};

std::string Sample::folder_;

TEST_F(Sample, ExplainsTheStepsInForceAndGeneratesNothing) {
  const Outcome outcome = sample({"--explain", "--top-k", "5", "--ban", "e", "--repetition-penalty", "1.25"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "ban                 2 tokens")) << outcome.out;  // START too
  EXPECT_TRUE(contains(outcome.out, "repetition-penalty      1.25")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "top-k                      5     5  ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "min-p                    off     5  ")) << outcome.out;
}

TEST_F(Sample, BansForcesAndBiasesTokensByTextAndId) {
  const Json plain = sampled({"--max-tokens", "60", "--temperature", "2"});
  ASSERT_TRUE(contains(plain["samples"][0]["text"], "e"));
  const Json ruled =
      sampled({"--max-tokens", "60", "--temperature", "2", "--ban", "e", "--ban", "END", "--force", "fox f"});
  EXPECT_FALSE(contains(ruled["samples"][0]["text"], "e"));
  EXPECT_TRUE(ruled["samples"][0]["text"].get<std::string>().starts_with("fox f"));
  const int f = ruled["samples"][0]["ids"][0];
  const Json biased = sampled({"--max-tokens", "9", "--logit-bias", "id:" + std::to_string(f) + "=1000"});
  EXPECT_EQ(biased["samples"][0]["text"], "fffffffff");
}

TEST_F(Sample, SameSeedGivesTheSameTextWithEveryOptionOnAnyNumberOfThreadsAndInAnyBatch) {
  const std::vector<std::string> options = {"--max-tokens",
                                            "40",
                                            "--repetition-penalty",
                                            "1.3",
                                            "--presence-penalty",
                                            "0.5",
                                            "--frequency-penalty",
                                            "0.2",
                                            "--no-repeat-ngram",
                                            "3",
                                            "--logit-bias",
                                            "a=1",
                                            "--ban",
                                            "w",
                                            "--force",
                                            "t",
                                            "--top-k",
                                            "12",
                                            "--top-p",
                                            "0.95",
                                            "--min-p",
                                            "0.01"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), options.begin(), options.end());
    return sampled(more)["samples"];
  };
  const Json all = with({"--samples", "5", "--threads", "1"});
  EXPECT_EQ(with({"--samples", "5", "--threads", "2"}), all);
  EXPECT_EQ(with({"-n", "2"})[1], all[1]);
  EXPECT_EQ(with({"--samples", "5", "--no-cache"})[4]["ids"], all[4]["ids"]);
}

TEST_F(Sample, JsonHasEntropyAndTheLikeliestTokensOfEachPlace) {
  const Json text = sampled({"--max-tokens", "6", "--alternatives", "3", "--greedy"})["samples"][0];
  ASSERT_EQ(text["alternatives"].size(), 6U);
  for (std::size_t n = 0; n < 6; ++n) {
    ASSERT_EQ(text["alternatives"][n].size(), 3U);
    EXPECT_EQ(text["alternatives"][n][0]["id"], text["ids"][n]) << "greedy takes the likeliest";
    EXPECT_EQ(text["alternatives"][n][0]["log_probability"], text["log_probabilities"][n]);
    EXPECT_GT(text["entropy_nats"][n], 0.0);
  }
  EXPECT_FALSE(sampled({"--max-tokens", "2", "--alternatives", "0"})["samples"][0].contains("alternatives"));
}

TEST_F(Sample, ShowsProbabilitiesInColourOnATerminalOnly) {
  const std::vector<std::string> options = {"--show-probs", "--max-tokens", "5", "--alternatives", "2"};
  const Outcome plain = sample(options);
  EXPECT_EQ(plain.exit_code, 0) << plain.err;
  EXPECT_TRUE(plain.out.starts_with("the ")) << plain.out;
  EXPECT_TRUE(contains(plain.out, "\n\ntoken  probability  entropy  likeliest\n")) << plain.out;
  EXPECT_FALSE(contains(plain.out, "\x1b["));
  const Outcome coloured = testing::run_on_terminal(folder_, call(options));
  EXPECT_TRUE(coloured.out.starts_with("loss in nats: 0 ")) << coloured.out;
  EXPECT_TRUE(contains(coloured.out, "the \x1b[48;5;")) << coloured.out;
  EXPECT_TRUE(contains(coloured.out, "token  probability  entropy  likeliest\n"));
}

TEST_F(Sample, FindsTheSameBestTextsWithAndWithoutCache) {
  const auto found = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"sample",    "--prompt", "the ",         "--beams", "4",
                                          "--samples", "3",        "--max-tokens", "24",      "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run_program(folder_, arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    std::vector<std::string> texts;
    const Json result = Json::parse(outcome.out);
    for (const Json& text : result["samples"]) texts.push_back(text["text"]);
    return texts;
  };
  const std::vector<std::string> texts = found({});
  EXPECT_EQ(texts.size(), 3U);
  EXPECT_EQ(found({"--no-cache"}), texts);
}

TEST_F(Sample, SaysOnceThatATextSlides) {
  const Outcome slid = sample({"--max-tokens", "100", "--samples", "40"});
  EXPECT_EQ(times(slid.err, "the text grew beyond the model's context of 16 tokens"), 1U) << slid.err;
  EXPECT_FALSE(contains(sample({"--max-tokens", "10"}).err, "grew beyond"));
  EXPECT_FALSE(contains(sample({"--max-tokens", "100", "--overflow", "stop"}).err, "grew beyond"));
}

TEST_F(Sample, EndsAfterMaxTime) {
  const Json text = sampled({"--max-tokens", "100000000", "--max-time", "0.2", "--ban", "END"})["samples"][0];
  EXPECT_EQ(text["finish_reason"], "time");
}

struct Refusal {
  std::vector<std::string> arguments;
  int exit_code;
  std::string message;
};

TEST_F(Sample, RefusesWhatCannotBeMeant) {
  const Refusal refusals[] = {
      {{"--beams", "4", "--samples", "5"}, 2, "--samples is 5 and --beams 4, which find no more texts than that"},
      {{"--length-penalty", "1"}, 2, "length_penalty is of a beam search: give beams too, or leave it out"},
      {{"--json", "--show-probs"}, 2, "--json, --show-probs and --explain each say what is printed: give one of them"},
      {{"--alternatives", "-1"}, 2, "--alternatives must be at least 0, not -1"},
      {{"--beams", "0"}, 2, "beams is 0, expected 1 (none) to 64"},
      {{"--beams", "2"}, 2, "beams look for the likeliest text and draw nothing: leave out seed"},
      {{"--temperature", "-1"}, 2, "temperature is -1.0, expected 0 (greedy) or a positive number"},
      {{"--temperature", "nan"}, 2, "--temperature: found 'nan', expected"},
      {{"--ban", "zz"}, 3, "\"zz\" is no token of this run"},
      {{"--no-repeat-ngram", "1", "--ban", "END", "--max-tokens", "100"}, 3, "no token is left to choose from"},
  };
  for (const Refusal& refusal : refusals) {
    const Outcome outcome = sample(refusal.arguments);
    EXPECT_EQ(outcome.exit_code, refusal.exit_code) << refusal.message << "\n" << outcome.err;
    EXPECT_TRUE(contains(outcome.err, refusal.message)) << outcome.err;
  }
}

}  // namespace
}  // namespace tinylm
