// Each step against the distribution worked out by hand, and its draws against that by chi-square.
#include "sample/sampling_steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/errors.h"
#include "sample/sampler.h"

namespace tinylm {
namespace {

// What may follow "0 1 2 0 1" (prompt "0 1", text "2 0 1"), with probabilities 1/2, 1/4, 1/8, 1/16, 1/16 of the model's
// own; the logits are above 0 for tokens 0 and 1 and below for the others.
const std::vector<double> kOwn = {8.0, 4.0, 0.5, 0.25, 0.25};
const std::vector<TokenId> kIds = {0, 1, 2, 0, 1};
const History kHistory{kIds, 2};

std::vector<float> logits() {
  std::vector<float> values;
  for (const double weight : kOwn) values.push_back(static_cast<float>(std::log(weight)));
  return values;
}

struct StepCase {
  std::string step;  // the one that is on, beside temperature
  std::function<void(SamplerOptions&, TokenRules&)> set;
  std::vector<double> weights;  // of the tokens afterwards, in any scale
};

class SamplingStepOf : public ::testing::TestWithParam<StepCase> {
 protected:
  Sampler sampler() const {
    SamplerOptions options;
    options.temperature = 1.0;
    TokenRules rules;
    GetParam().set(options, rules);
    return Sampler(options, rules);
  }
  std::vector<double> expected() const {
    std::vector<double> chances = GetParam().weights;
    double total = 0.0;
    for (const double weight : chances) total += weight;
    for (double& chance : chances) chance /= total;
    return chances;
  }
};

TEST_P(SamplingStepOf, GivesTheDistributionWorkedOutByHand) {
  const std::vector<double> found = sampler().probabilities(logits(), kHistory), wanted = expected();
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t id = 0; id < wanted.size(); ++id) EXPECT_NEAR(found[id], wanted[id], 1e-6) << id;
}

TEST_P(SamplingStepOf, DrawsByIt) {
  constexpr int kDraws = 20000;
  // 99.9 % of samples stay below, by degrees of freedom.
  constexpr double kLimits[] = {0.0, 10.83, 13.82, 16.27, 18.47};
  const std::vector<double> wanted = expected();
  std::vector<int> counts(wanted.size(), 0);
  const Sampler sampler = this->sampler();
  for (std::uint64_t draw = 0; draw < kDraws; ++draw)
    ++counts[static_cast<std::size_t>(sampler.choose(logits(), draw, kHistory))];
  double chi_square = 0.0;
  int possible = 0;
  for (std::size_t id = 0; id < wanted.size(); ++id) {
    if (wanted[id] == 0.0) {
      EXPECT_EQ(counts[id], 0) << id;
      continue;
    }
    ++possible;
    const double mean = kDraws * wanted[id];
    chi_square += (counts[id] - mean) * (counts[id] - mean) / mean;
  }
  EXPECT_LE(chi_square, kLimits[possible - 1]);
}

TEST_P(SamplingStepOf, IsNamedAsOn) {
  for (const StepTaken& taken : sampler().steps_taken(logits(), kHistory))
    EXPECT_EQ(!taken.setting.empty(),
              taken.step->name == GetParam().step || taken.step->name == std::string("temperature"))
        << taken.step->name;
}

using Options = SamplerOptions;
using Rules = TokenRules;

const StepCase kCases[] = {
    {"temperature", [](Options& o, Rules&) { o.temperature = 0.5; }, {64, 16, 0.25, 0.0625, 0.0625}},
    {"ban",
     [](Options&, Rules& r) {
       r.banned = {0, 3};
     },
     {0, 4, 0.5, 0, 0.25}},
    {"logit-bias",
     [](Options&, Rules& r) {
       r.biases = {{2, std::log(6.0)}, {0, -std::log(2.0)}, {0, -std::log(2.0)}};
     },
     {2, 4, 3, 0.25, 0.25}},
    // 0, 1 and 2 were there: ln 8 and ln 4 are halved, ln 0.5 is doubled.
    {"repetition-penalty",
     [](Options& o, Rules&) { o.repetition_penalty = 2.0; },
     {std::sqrt(8.0), 2, 0.25, 0.25, 0.25}},
    // The text is 2, 0, 1: each once; the prompt's 0 and 1 do not count.
    {"presence-penalty", [](Options& o, Rules&) { o.presence_penalty = std::log(4.0); }, {2, 1, 0.125, 0.25, 0.25}},
    {"frequency-penalty", [](Options& o, Rules&) { o.frequency_penalty = std::log(2.0); }, {4, 2, 0.25, 0.25, 0.25}},
    // "0 1" has come before, and was followed by 2.
    {"no-repeat-ngram", [](Options& o, Rules&) { o.no_repeat_ngram = 3; }, {8, 4, 0, 0.25, 0.25}},
    // The text's tokens 0, 1 and 2 are chosen already, so this is its fourth.
    {"force",
     [](Options&, Rules& r) {
       r.forced = {0, 0, 0, 4};
     },
     {0, 0, 0, 0, 1}},
    {"top-k", [](Options& o, Rules&) { o.top_k = 4; }, {8, 4, 0.5, 0.25, 0}},
    {"top-p", [](Options& o, Rules&) { o.top_p = 0.95; }, {8, 4, 0.5, 0, 0}},  // 12 of 13 is 0.92
    {"min-p", [](Options& o, Rules&) { o.min_p = 0.05; }, {8, 4, 0.5, 0, 0}},  // a twentieth of 8 is 0.4
};

INSTANTIATE_TEST_SUITE_P(Each, SamplingStepOf, ::testing::ValuesIn(kCases), [](const auto& test) {
  std::string name;
  for (const char letter : test.param.step)
    if (letter != '-') name += letter;
  return name;
});

TEST(SamplingSteps, HaveATestEach) {
  std::set<std::string> tested;
  for (const StepCase& one : kCases) tested.insert(one.step);
  for (const SamplingStep& step : sampling_steps()) EXPECT_TRUE(tested.contains(step.name)) << step.name;
}

TEST(SamplingSteps, CountHowManyTokensEachLeaves) {
  SamplerOptions options;
  options.no_repeat_ngram = 3;
  options.top_k = 2;
  options.min_p = 0.9;
  const std::vector<StepTaken> steps =
      Sampler(options, {.biases = {}, .banned = {3}, .forced = {}}).steps_taken(logits(), kHistory);
  std::vector<std::size_t> left;
  for (const StepTaken& taken : steps) left.push_back(taken.tokens_left);
  EXPECT_EQ(left, (std::vector<std::size_t>{4, 4, 4, 4, 4, 3, 3, 3, 2, 2, 1}));
}

TEST(SamplingSteps, FrequencyCountsEachTimeAndPresenceOnlyWhether) {
  const std::vector<TokenId> ids = {1, 1, 1};
  SamplerOptions options;
  options.temperature = 1.0;
  options.frequency_penalty = std::log(2.0);
  const std::vector<float> even(2, 0.0F);
  EXPECT_NEAR(Sampler(options).probabilities(even, {ids, 0})[1], 1.0 / 9, 1e-9);  // 1/8 against 1
  options.frequency_penalty = 0.0;
  options.presence_penalty = std::log(2.0);
  EXPECT_NEAR(Sampler(options).probabilities(even, {ids, 0})[1], 1.0 / 3, 1e-9);
}

TEST(SamplingSteps, NoRepeatOfOneTokenTakesOutAllThatWereThere) {
  SamplerOptions options;
  options.no_repeat_ngram = 1;
  options.temperature = 0.0;
  EXPECT_EQ(Sampler(options).choose(logits(), 0, kHistory), 3);
}

TEST(SamplingSteps, NoRepeatOfMoreTokensThanThereAreTakesNothingOut) {
  SamplerOptions options;
  options.no_repeat_ngram = 6;
  EXPECT_EQ(Sampler(options).choose(logits(), 0, kHistory), Sampler(SamplerOptions{}).choose(logits(), 0, kHistory));
}

TEST(SamplingSteps, ForcedTokensStandWhateverTakesThemOut) {
  SamplerOptions options;
  options.no_repeat_ngram = 1;
  const Sampler sampler(options, {.biases = {}, .banned = {0, 1, 2, 3, 4}, .forced = {4}});
  EXPECT_EQ(sampler.choose(logits(), 0), 4);
  EXPECT_THROW(sampler.choose(logits(), 0, kHistory), BadInput);  // the fourth token is not forced
}

TEST(SamplingSteps, VeryLowAndVeryHighTemperaturesAreTheirLimits) {
  SamplerOptions options;
  options.temperature = 1e-30;
  const Sampler cold(options);
  EXPECT_EQ(cold.probabilities(logits()), (std::vector<double>{1, 0, 0, 0, 0}));
  EXPECT_EQ(cold.probabilities(std::vector<float>{1, 2, 2}), (std::vector<double>{0, 0.5, 0.5}));
  options.temperature = 1e30;
  for (const double chance : Sampler(options).probabilities(logits())) EXPECT_NEAR(chance, 0.2, 1e-12);
}

TEST(SamplingSteps, LargestPenaltiesOverflowNothing) {
  SamplerOptions options;
  options.repetition_penalty = 1e-6;
  options.presence_penalty = -1e6;
  options.frequency_penalty = 1e6;
  options.temperature = 1e-300;
  const std::vector<double> chances = Sampler(options, {.biases = {{0, 1e6}}, .banned = {}, .forced = {}})
                                          .probabilities(std::vector<float>{3e38F, -3e38F, 1, 1, 1}, kHistory);
  EXPECT_EQ(chances, (std::vector<double>{1, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace tinylm
