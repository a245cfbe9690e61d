// Texts that grow together.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <limits>

#include "core/errors.h"
#include "sample/generator.h"
#include "sample/samplers.h"
#include "sample/scripted_model.h"
#include "testing/models.h"

namespace tinylm {
namespace {

using test::at_most;
using test::drawing;
using test::greedy;
using test::random_model;
using test::scripted_model;
using test::tokenizer_over;

std::vector<std::vector<TokenId>> ids_of(const std::vector<Generated>& texts) {
  std::vector<std::vector<TokenId>> ids;
  for (const Generated& text : texts) ids.push_back(text.ids);
  return ids;
}

/// Large enough for two threads.
LanguageModel wide_model(std::int64_t V, const std::string& positions) {
  ModelConfig config;
  config.vocabulary_size = V;
  config.context = 24;
  config.layers = 2;
  config.width = 96;
  config.heads = 4;
  config.kv_heads = 2;
  config.positions = positions;
  return testing::random_model(config);
}

TEST(GenerateAll, TextIsTheSameAloneAmongThreeAndAmongThirtyTwoOnOneThreadAndOnTwo) {
  const auto tokenizer = tokenizer_over("byte", "x");
  const int before = omp_get_max_threads();
  for (const std::string positions : {"learned", "rope", "alibi"}) {
    Generator generator(wide_model(tokenizer->vocabulary_size(), positions), *tokenizer, drawing(7), 0);
    const std::vector<TokenId> prompt = generator.prompt_ids("a prompt");
    const auto expected = ids_of(generator.generate_all(prompt, 0, 35, at_most(60)));  // 32 and 3; slides
    ASSERT_EQ(expected.size(), 35U);
    EXPECT_NE(expected[0], expected[1]);
    for (const int threads : {1, 2}) {
      omp_set_num_threads(threads);
      EXPECT_EQ(ids_of(generator.generate_all(prompt, 0, 35, at_most(60))), expected) << positions << threads;
      EXPECT_EQ(generator.generate(prompt, 33, at_most(60)).ids, expected[33]) << positions << threads;
      const auto three = ids_of(generator.generate_all(prompt, 5, 3, at_most(60)));
      for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(three[i], expected[5 + i]) << positions << threads;
    }
    omp_set_num_threads(before);
  }
}

TEST(GenerateAll, TextOfEveryOptionIsTheSameAloneTogetherAndWithoutCache) {
  const auto tokenizer = tokenizer_over("char", "abcdefghij klmnopqrst\n");
  SamplerOptions options;
  options.seed = 4;
  options.repetition_penalty = 1.2;
  options.presence_penalty = 0.1;
  options.frequency_penalty = 0.05;
  options.no_repeat_ngram = 3;
  options.top_k = 15;
  options.top_p = 0.95;
  options.min_p = 0.01;
  const TokenRules rules{.biases = {{3, 0.5}}, .banned = {5}, .forced = {7, 8}};
  Generator generator(random_model(tokenizer->vocabulary_size(), 32, "rope"), *tokenizer, Sampler(options, rules), 0);
  const std::vector<TokenId> prompt = generator.prompt_ids("bad cab");
  GenerateOptions most = at_most(100);
  const auto together = ids_of(generator.generate_all(prompt, 0, 6, most));
  most.use_cache = false;
  for (std::uint64_t sample = 0; sample < 6; ++sample) {
    EXPECT_EQ(generator.generate(prompt, sample, most).ids, together[sample]) << sample;
    EXPECT_EQ(together[sample][0], 7);
    EXPECT_EQ(together[sample][1], 8);
    EXPECT_EQ(std::count(together[sample].begin(), together[sample].end(), 5), 0);
  }
}

TEST(GenerateAll, SaysOnceThatTextsSlide) {
  const auto tokenizer = tokenizer_over("byte", "x");
  Generator generator(random_model(tokenizer->vocabulary_size(), 8, "none"), *tokenizer, drawing(2), 0);
  int told = 0;
  generator.generate_all({65}, 0, 40, at_most(30), {.on_text = {}, .on_end = {}, .on_slide = [&] { ++told; }});
  EXPECT_EQ(told, 1);
}

TEST(GenerateAll, GreedyTextOfAThousandTokensIsTheSameWithAndWithoutCacheAndTogether) {
  const auto tokenizer = tokenizer_over("char", "abcdefghij klmnopqrst\n");
  Generator generator(random_model(tokenizer->vocabulary_size(), 32, "rope"), *tokenizer, greedy(), 0);
  const std::vector<TokenId> prompt = generator.prompt_ids("bad cab");
  GenerateOptions options = at_most(1000);
  const std::vector<Generated> together = generator.generate_all(prompt, 0, 4, options);
  options.use_cache = false;
  const Generated whole = generator.generate(prompt, 0, options);
  EXPECT_EQ(whole.ids.size(), 1000U);
  for (const Generated& text : together) EXPECT_EQ(text.ids, whole.ids);
}

TEST(GenerateAll, TextsThatEndEarlyLeaveTheOthersAsTheyAre) {
  const auto tokenizer = tokenizer_over("byte", "x");
  // END comes once in six tokens.
  test::Script script;
  for (TokenId last = 0; last < tokenizer->vocabulary_size(); ++last) script[{last, tokenizer->end_id()}] = 4.0;
  Generator generator(scripted_model(tokenizer->vocabulary_size(), 16, script), *tokenizer, drawing(2), 0);
  const std::vector<Generated> together = generator.generate_all({120}, 0, 20, at_most(30));
  std::size_t shortest = 30, longest = 0;
  for (std::uint64_t sample = 0; sample < 20; ++sample) {
    const Generated alone = generator.generate({120}, sample, at_most(30));
    EXPECT_EQ(together[sample].ids, alone.ids) << sample;
    EXPECT_EQ(together[sample].text, alone.text) << sample;
    EXPECT_EQ(together[sample].finish_reason, alone.finish_reason) << sample;
    shortest = std::min(shortest, alone.ids.size());
    longest = std::max(longest, alone.ids.size());
  }
  EXPECT_LT(shortest + 2, longest);
}

TEST(GenerateAll, TellsTheListenerOfEachTextAndOfItsEnd) {
  const auto tokenizer = tokenizer_over("byte", "x");
  Generator generator(random_model(tokenizer->vocabulary_size(), 16, "none"), *tokenizer, drawing(2), 0);
  std::vector<std::string> pieces(3);
  std::vector<std::uint64_t> ended;
  const std::vector<Generated> texts = generator.generate_all(
      {65}, 4, 3, at_most(10),
      {.on_text = [&](std::uint64_t sample, std::string_view piece) { pieces.at(sample - 4) += piece; },
       .on_end = [&](std::uint64_t sample) { ended.push_back(sample); }});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(pieces[i], texts[i].text);
  std::sort(ended.begin(), ended.end());
  EXPECT_EQ(ended, (std::vector<std::uint64_t>{4, 5, 6}));
}

TEST(GenerateAll, PassesErrorsOn) {
  const auto tokenizer = tokenizer_over("byte", "x");
  LanguageModel model = random_model(tokenizer->vocabulary_size(), 16, "none");
  const torch::NoGradGuard no_grad;
  model->parameters()[0].fill_(std::numeric_limits<float>::quiet_NaN());
  Generator generator(model, *tokenizer, drawing(2), 0);
  EXPECT_THROW(generator.generate_all({65}, 0, 20, at_most(10)), NotFinite);
}

}  // namespace
}  // namespace tinylm
