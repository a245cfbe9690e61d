#include "inspect/random_repeats.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "inspect/random_models.h"
#include "testing/tensors.h"

namespace tinylm {
namespace {

TEST(RepeatedTokens, AreDifferentTokensTwice) {
  const std::vector<TokenId> tokens = {2, 3, 5, 7, 11, 13};
  const std::vector<TokenId> ids = repeated_tokens(tokens, 4, 1, 0);
  ASSERT_EQ(ids.size(), 8U);
  EXPECT_TRUE(std::equal(ids.begin(), ids.begin() + 4, ids.begin() + 4));
  const std::set<TokenId> drawn(ids.begin(), ids.end());
  EXPECT_EQ(drawn.size(), 4U);
  for (const TokenId id : drawn) EXPECT_NE(std::find(tokens.begin(), tokens.end(), id), tokens.end()) << id;
  EXPECT_EQ(repeated_tokens(tokens, 4, 1, 0), ids);
  EXPECT_NE(repeated_tokens(tokens, 4, 1, 1), ids);
  EXPECT_NE(repeated_tokens(tokens, 4, 2, 0), ids);
}

TEST(RepeatLength, FitsTwiceIntoTheContext) {
  EXPECT_EQ(repeat_length(64, 100, 50), 32);
  EXPECT_EQ(repeat_length(65, 100, 20), 20);
  EXPECT_EQ(repeat_length(64, 10, 50), 10);
  EXPECT_EQ(repeat_length(3, 100, 50), 0);  // one token twice says nothing about what came after it
}

TEST(OrdinaryTokens, AreAllButStartAndEnd) {
  const auto tokenizer = test::tokenizer_over("char", "abc");
  const std::vector<TokenId> ids = ordinary_tokens(*tokenizer);
  EXPECT_EQ(ids.size(), 3U);
  for (const TokenId id : ids) EXPECT_FALSE(tokenizer->bytes_of(id).empty());
}

// The scores of each text by itself, from a trace of its own, by the definition's indices.
TEST(RandomRepeats, AreTheMeanWeightsAtTheirDistances) {
  LoadedModel loaded = test::loaded_random(testing::small_config("rope"));
  const RandomRepeats repeats = random_repeats(loaded.model, *loaded.tokenizer, {.texts = 3, .seed = 4});
  ASSERT_EQ(repeats.length, 8);
  torch::Tensor duplicate = torch::zeros({2, 4}, torch::kFloat64), induction = duplicate.clone();
  for (std::uint64_t text = 0; text < 3; ++text) {
    const torch::Tensor A =
        inspect(loaded, repeated_tokens(ordinary_tokens(*loaded.tokenizer), 8, 4, text)).attention.to(torch::kFloat64);
    for (std::int64_t q = 8; q < 16; ++q) {
      duplicate += A.select(-1, q - 8).select(-1, q) / 24.0;
      induction += A.select(-1, q - 7).select(-1, q) / 24.0;
    }
  }
  EXPECT_TRUE(testing::tensors_close(repeats.duplicate.values, duplicate, 1e-5));
  EXPECT_TRUE(testing::tensors_close(repeats.induction.values, induction, 1e-5));
  double uniform = 0.0;
  for (int q = 8; q < 16; ++q) uniform += 1.0 / (8 * (q + 1));
  EXPECT_DOUBLE_EQ(repeats.induction.uniform, uniform);
}

TEST(RandomRepeats, OfAContextTooShortAreNotANumber) {
  ModelConfig config = testing::small_config();
  config.context = 3;
  LoadedModel loaded = test::loaded_random(config);
  const RandomRepeats repeats = random_repeats(loaded.model, *loaded.tokenizer);
  EXPECT_EQ(repeats.length, 0);
  EXPECT_TRUE(repeats.induction.values.isnan().all().item<bool>());
  EXPECT_TRUE(std::isnan(repeats.induction.uniform));
}

}  // namespace
}  // namespace tinylm
