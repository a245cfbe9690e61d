#include "inspect/probe.h"

#include <gtest/gtest.h>

#include "inspect/random_models.h"
#include "inspect/random_repeats.h"
#include "testing/tensors.h"

namespace tinylm {
namespace {

constexpr std::int64_t kTokens = 19;

/// One head that looks evenly at everything. Each token is a direction of its own, which the head passes on times
/// `factor`, and which the output projection reads.
LoadedModel passing_on(double factor) {
  LanguageModel model = test::scripted_model(kTokens, 16, {});
  const torch::NoGradGuard no_gradient;
  auto parameters = model->named_parameters();
  torch::Tensor& query_key_value = parameters["blocks.0.attention.query_key_value.weight"];  // [3 C, C]
  query_key_value.zero_();
  query_key_value.slice(0, 2 * kTokens).copy_(torch::eye(kTokens));
  parameters["blocks.0.attention.projection.weight"].copy_(factor * torch::eye(kTokens));
  parameters["output.weight"].copy_(torch::eye(kTokens));
  return test::loaded_of(model);
}

double copied(double factor) {
  LoadedModel loaded = passing_on(factor);
  return run_probe(loaded, "copy").score.values.item<double>();
}

TEST(CopyProbe, IsOneForAHeadThatPassesOnTheTokenItLooksAt) {
  EXPECT_EQ(copied(1.0), 1.0);
}

TEST(CopyProbe, IsZeroForAHeadThatSpeaksAgainstIt) {
  EXPECT_EQ(copied(-1.0), 0.0);
}

TEST(CopyProbe, IsZeroForAHeadThatSaysNothing) {
  EXPECT_EQ(copied(0.0), 0.0);
}

TEST(CopyProbe, NamesTheHeadThatPasses) {
  LoadedModel loaded = passing_on(1.0);
  const ProbeResult result = run_probe(loaded, "copy");
  EXPECT_EQ(result.passing, (std::vector<HeadPlace>{{0, 0}}));
  EXPECT_NE(probe_text(result, 80).find("One head passes: L0H0 (1.00)."), std::string::npos) << probe_text(result, 80);
  LoadedModel other = passing_on(-1.0);
  const std::string none = probe_text(run_probe(other, "copy"), 80);
  EXPECT_NE(none.find("No head passes; the best is L0H0 (0.00)."), std::string::npos) << none;
}

// The weights of each text by itself, from a trace of its own.
TEST(PreviousProbe, IsTheMeanWeightOfTheTokenBeforeOnRandomRepeats) {
  LoadedModel loaded = test::loaded_random(testing::small_config("learned"));
  const RepeatOptions options;
  const std::vector<TokenId> tokens = ordinary_tokens(*loaded.tokenizer);
  const std::int64_t S = repeat_length(loaded.config.model.context, tokens.size(), options.most_length);
  torch::Tensor expected = torch::zeros({2, 4}, torch::kFloat64);
  for (std::int64_t text = 0; text < options.texts; ++text) {
    const torch::Tensor A =
        inspect(loaded, repeated_tokens(tokens, S, options.seed, static_cast<std::uint64_t>(text))).attention;
    for (std::int64_t q = 1; q < 2 * S; ++q)
      expected +=
          A.select(-1, q - 1).select(-1, q).to(torch::kFloat64) / static_cast<double>(options.texts * (2 * S - 1));
  }
  EXPECT_TRUE(testing::tensors_close(run_probe(loaded, "previous").score.values, expected, 1e-5));
}

}  // namespace
}  // namespace tinylm
