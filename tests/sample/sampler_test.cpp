#include "sample/sampler.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include "core/errors.h"
#include "core/option_table.h"

namespace tinylm {
namespace {

std::vector<float> logits_of(const std::vector<double>& probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)));
  return logits;
}

SamplerOptions at_temperature(double temperature) {
  SamplerOptions options;
  options.temperature = temperature;
  return options;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-6) << "at id " << i;
}

std::string problems_of(const SamplerOptions& options) {
  try {
    const Sampler sampler(options);
  } catch (const WrongUse& error) {
    return error.what();
  }
  return "";
}

const std::vector<float> kLogits = logits_of({0.5, 0.25, 0.125, 0.125});

TEST(Sampler, TemperatureOneGivesTheModelsOwnProbabilities) {
  expect_near(Sampler(at_temperature(1.0)).probabilities(kLogits), {0.5, 0.25, 0.125, 0.125});
}

TEST(Sampler, TemperatureTakesProbabilitiesToItsInversePower) {
  // Squares: 16, 4, 1, 1 of 22. Square roots of 4, 2, 1, 1: 2, 1.41421, 1, 1 of 5.41421.
  expect_near(Sampler(at_temperature(0.5)).probabilities(kLogits), {16.0 / 22, 4.0 / 22, 1.0 / 22, 1.0 / 22});
  expect_near(Sampler(at_temperature(2.0)).probabilities(kLogits),
              {2 / 5.4142136, 1.4142136 / 5.4142136, 1 / 5.4142136, 1 / 5.4142136});
}

TEST(Sampler, ExtremeTemperaturesAndLogitsStayFinite) {
  const std::vector<float> extreme = {3e38F, -3e38F, 0.0F};
  expect_near(Sampler(at_temperature(1e-300)).probabilities(extreme), {1, 0, 0});
  expect_near(Sampler(at_temperature(1e300)).probabilities(extreme), {1.0 / 3, 1.0 / 3, 1.0 / 3});
  expect_near(Sampler(at_temperature(1.0)).probabilities(std::vector<float>{1000.0F, 1000.0F}), {0.5, 0.5});
}

TEST(Sampler, TopKKeepsTheLikeliestWithTiesByTheSmallerId) {
  SamplerOptions options = at_temperature(1.0);
  options.top_k = 2;
  expect_near(Sampler(options).probabilities(kLogits), {2.0 / 3, 1.0 / 3, 0, 0});
  options.top_k = 3;
  expect_near(Sampler(options).probabilities(kLogits), {4.0 / 7, 2.0 / 7, 1.0 / 7, 0});
}

TEST(Sampler, TopKAboveTheVocabularyKeepsEverything) {
  SamplerOptions options = at_temperature(1.0);
  options.top_k = 5;
  expect_near(Sampler(options).probabilities(kLogits), {0.5, 0.25, 0.125, 0.125});
}

TEST(Sampler, TopPKeepsTheSmallestSetThatReachesIt) {
  SamplerOptions options = at_temperature(1.0);
  options.top_p = 0.75;
  expect_near(Sampler(options).probabilities(kLogits), {2.0 / 3, 1.0 / 3, 0, 0});
  options.top_p = 0.76;
  expect_near(Sampler(options).probabilities(kLogits), {4.0 / 7, 2.0 / 7, 1.0 / 7, 0});
  options.top_p = 1e-9;
  expect_near(Sampler(options).probabilities(kLogits), {1, 0, 0, 0});
}

TEST(Sampler, TopPCountsInTheOrderOfLikelihoodNotOfIds) {
  SamplerOptions options = at_temperature(1.0);
  options.top_p = 0.7;
  expect_near(Sampler(options).probabilities(logits_of({0.1, 0.2, 0.3, 0.4})), {0, 0, 3.0 / 7, 4.0 / 7});
}

TEST(Sampler, TopPCountsWithinWhatTopKLeft) {
  SamplerOptions options = at_temperature(1.0);
  options.top_k = 2;
  options.top_p = 0.6;  // of the two left, the first has 2/3
  expect_near(Sampler(options).probabilities(kLogits), {1, 0, 0, 0});
}

TEST(Sampler, MinPKeepsTokensAtLeastThatFractionAsLikelyAsTheLikeliest) {
  SamplerOptions options = at_temperature(1.0);
  options.min_p = 0.5;
  expect_near(Sampler(options).probabilities(kLogits), {2.0 / 3, 1.0 / 3, 0, 0});
  options.min_p = 0.51;
  expect_near(Sampler(options).probabilities(kLogits), {1, 0, 0, 0});
}

TEST(Sampler, TemperatureZeroIsGreedy) {
  expect_near(Sampler(at_temperature(0.0)).probabilities(logits_of({0.2, 0.5, 0.3})), {0, 1, 0});
}

TEST(Sampler, GreedyTiesGoToTheSmallestId) {
  SamplerOptions options;
  options.greedy = true;
  EXPECT_EQ(Sampler(options).choose(std::vector<float>{1.0F, 3.0F, 3.0F, 2.0F, 3.0F}, 0), 1);
}

TEST(Sampler, NeverChoosesABannedIdHoweverLikely) {
  Sampler drawing(at_temperature(1.0)), greedy(at_temperature(0.0));
  drawing.ban(0);
  greedy.ban(0);
  expect_near(drawing.probabilities(kLogits), {0, 0.5, 0.25, 0.25});
  EXPECT_EQ(greedy.choose(kLogits, 0), 1);
}

TEST(Sampler, RefusesWhenEveryIdIsBanned) {
  const Sampler sampler(SamplerOptions{}, {.biases = {}, .banned = {0, 1}, .forced = {}});
  try {
    sampler.choose(std::vector<float>{0.0F, 0.0F}, 0);
    FAIL() << "expected BadInput";
  } catch (const BadInput& error) {
    EXPECT_STREQ(error.what(), "no token is left to choose from: ban and no_repeat_ngram take out all 2");
  }
}

TEST(Sampler, RefusesLogitsThatAreNotFinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity}) {
    try {
      Sampler(SamplerOptions{}).choose(std::vector<float>{0.0F, bad}, 0);
      FAIL() << "expected NotFinite";
    } catch (const NotFinite& error) {
      EXPECT_NE(std::string(error.what()).find("logit for token 1 is"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("expected finite numbers"), std::string::npos) << error.what();
    }
  }
}

TEST(Sampler, DrawIsAFunctionOfSeedSampleAndPosition) {
  const std::vector<float> uniform(1000, 0.0F);
  const std::vector<TokenId> ids(12, 0);
  const History eleventh{std::span(ids).first(11), 0}, twelfth{ids, 0}, eleventh_after_one{ids, 1};
  SamplerOptions options = at_temperature(1.0);
  options.seed = 7;
  const TokenId first = Sampler(options).choose(uniform, 3, eleventh);
  EXPECT_EQ(Sampler(options).choose(uniform, 3, eleventh), first);
  EXPECT_EQ(Sampler(options).choose(uniform, 3, eleventh_after_one), first);
  EXPECT_NE(Sampler(options).choose(uniform, 4, eleventh), first);
  EXPECT_NE(Sampler(options).choose(uniform, 3, twelfth), first);
  options.seed = 8;
  EXPECT_NE(Sampler(options).choose(uniform, 3, eleventh), first);
}

TEST(Sampler, NeverDrawsWhatWasCutOffInAMillionDraws) {
  // Rounding in the sum of probabilities could fall past the last token that is kept: the tokens behind it are out.
  SamplerOptions options = at_temperature(1.0);
  options.top_k = 7;
  std::vector<double> even(23, 1.0 / 23);
  const std::vector<float> logits = logits_of(even);
  const Sampler sampler(options);
  std::vector<int> counts(even.size(), 0);
  for (std::uint64_t draw = 0; draw < 1'000'000; ++draw)
    ++counts[static_cast<std::size_t>(sampler.choose(logits, draw))];
  for (std::size_t id = 0; id < counts.size(); ++id) EXPECT_EQ(counts[id] > 0, id < 7) << id;
}

TEST(Sampler, LogLikelihoodsLeaveOutWhatIsOfTheDrawAlone) {
  SamplerOptions options = at_temperature(0.1);
  options.top_k = 1;
  Sampler sampler(options);
  sampler.ban(0);
  const std::vector<double> found = sampler.log_likelihoods(kLogits);
  EXPECT_TRUE(std::isinf(found[0]) && found[0] < 0);
  EXPECT_NEAR(found[1], std::log(0.5), 1e-6);
  EXPECT_NEAR(found[2], std::log(0.25), 1e-6);
}

TEST(SamplerOptions, RefusesTemperaturesThatAreNegativeOrNotFinite) {
  EXPECT_EQ(problems_of(at_temperature(-0.5)), "temperature is -0.5, expected 0 (greedy) or a positive number");
  EXPECT_NE(problems_of(at_temperature(std::numeric_limits<double>::quiet_NaN())), "");
  EXPECT_NE(problems_of(at_temperature(std::numeric_limits<double>::infinity())), "");
}

TEST(SamplerOptions, RefusesCutsOutOfRangeAllAtOnce) {
  SamplerOptions options;
  options.top_k = -1;
  options.top_p = 0.0;
  options.min_p = 1.5;
  EXPECT_EQ(problems_of(options),
            "top_k is -1, expected 0 (off) or a positive number\n"
            "top_p is 0.0, expected above 0 and at most 1 (off)\n"
            "min_p is 1.5, expected from 0 (off) to 1");
  options.top_p = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(problems_of(options).find("top_p"), std::string::npos);
}

TEST(SamplerOptions, RefusesPenaltiesThatNothingCouldCount) {
  SamplerOptions options;
  options.repetition_penalty = 0.0;
  options.presence_penalty = std::numeric_limits<double>::quiet_NaN();
  options.frequency_penalty = -2e6;
  options.no_repeat_ngram = -1;
  EXPECT_EQ(problems_of(options),
            "repetition_penalty is 0.0, expected a number from 0.000001 to 1000000; 1: off\n"
            "presence_penalty is nan, expected a number from -1000000 to 1000000; 0: off\n"
            "frequency_penalty is -2e+06, expected a number from -1000000 to 1000000; 0: off\n"
            "no_repeat_ngram is -1, expected 0 (off) or a positive number");
}

TEST(SamplerOptions, AreReadThroughTheOptionTable) {
  SamplerOptions options;
  OptionTable table;
  options.describe(table);
  table.read_toml_text(
      "[sample]\ntemperature = 0.5\ntop_k = 4\ntop_p = 0.9\nmin_p = 0.1\ngreedy = true\nseed = 3\n"
      "repetition_penalty = 1.5\npresence_penalty = 0.25\nfrequency_penalty = -1\nno_repeat_ngram = 3\n",
      "t");
  EXPECT_EQ(options.temperature, 0.5);
  EXPECT_EQ(options.top_k, 4);
  EXPECT_EQ(options.top_p, 0.9);
  EXPECT_EQ(options.min_p, 0.1);
  EXPECT_TRUE(options.greedy);
  EXPECT_EQ(options.seed, 3U);
  EXPECT_EQ(options.repetition_penalty, 1.5);
  EXPECT_EQ(options.presence_penalty, 0.25);
  EXPECT_EQ(options.frequency_penalty, -1.0);
  EXPECT_EQ(options.no_repeat_ngram, 3);
}

}  // namespace
}  // namespace tinylm
