#include "model/kv_cache.h"

#include <gtest/gtest.h>

#include "core/errors.h"
#include "model/model.h"
#include "testing/models.h"
#include "testing/tensors.h"

namespace tinylm {
namespace {

using tinylm::testing::small_config;
using tinylm::testing::tensors_close;

torch::Tensor cached_ids(std::int64_t B, std::int64_t T) {
  return torch::randint(19, {B, T}, torch::kInt64);
}

/// Logits of all tokens, fed to a cache in chunks of these lengths.
torch::Tensor logits_in_chunks(LanguageModel& model, const torch::Tensor& ids,
                               const std::vector<std::int64_t>& chunks) {
  KvCache cache(model->config(), ids.size(0), model->config().context);
  std::vector<torch::Tensor> parts;
  for (const std::int64_t length : chunks)
    parts.push_back(model->forward(ids.slice(1, cache.length(), cache.length() + length), {.cache = &cache}));
  return torch::cat(parts, 1);
}

TEST(KvCache, GivesTheLogitsOfTheWholeTextTokenByTokenAndInChunks) {
  torch::manual_seed(1);
  const torch::NoGradGuard no_gradient;
  for (const ModelConfig& config : testing::varied_configs()) {
    for (const Ops ops : {Ops::kAuto, Ops::kPlain}) {
      LanguageModel model(config, 3, ops);
      const torch::Tensor ids = cached_ids(2, 16), whole = model->forward(ids);
      EXPECT_TRUE(tensors_close(logits_in_chunks(model, ids, std::vector<std::int64_t>(16, 1)), whole, 1e-5))
          << testing::describe(config);
      EXPECT_TRUE(tensors_close(logits_in_chunks(model, ids, {5, 1, 9, 1}), whole, 1e-5)) << testing::describe(config);
    }
  }
}

TEST(KvCache, StartsAnewAfterClear) {
  const torch::NoGradGuard no_gradient;
  LanguageModel model(small_config(), 3);
  KvCache cache(model->config(), 1, 8);
  const torch::Tensor ids = cached_ids(1, 8);
  const torch::Tensor first = model->forward(ids, {.cache = &cache});
  EXPECT_EQ(cache.length(), 8);
  cache.clear();
  EXPECT_TRUE(tensors_close(model->forward(ids, {.cache = &cache}), first, 0.0));
}

TEST(KvCache, SelectsTextsInAnyOrderAndSeveralTimes) {
  const torch::NoGradGuard no_gradient;
  for (const Ops ops : {Ops::kAuto, Ops::kPlain}) {
    LanguageModel model(small_config("rope"), 3, ops);
    KvCache cache(model->config(), 1, 8);
    const torch::Tensor beginning = cached_ids(1, 3), next = cached_ids(4, 2);
    model->forward(beginning, {.cache = &cache});
    cache.select(std::vector<std::int64_t>(4, 0));
    EXPECT_EQ(cache.batch(), 4);
    const torch::Tensor whole = model->forward(torch::cat({beginning.expand({4, 3}), next}, 1));  // [4, 5, V]
    EXPECT_TRUE(
        tensors_close(model->forward(next.slice(1, 0, 1), {.cache = &cache}).select(1, 0), whole.select(1, 3), 1e-5));
    cache.select(std::vector<std::int64_t>{3, 0});
    EXPECT_EQ(cache.batch(), 2);
    const torch::Tensor kept = torch::tensor({3, 0});
    EXPECT_TRUE(tensors_close(model->forward(next.index_select(0, kept).slice(1, 1, 2), {.cache = &cache}).select(1, 0),
                              whole.index_select(0, kept).select(1, 4), 1e-5));
  }
}

TEST(KvCache, FollowsTheModelsPrecision) {
  const torch::NoGradGuard no_gradient;
  LanguageModel model(small_config(), 3);
  model->to(torch::kFloat64);
  EXPECT_EQ(logits_in_chunks(model, cached_ids(1, 4), {2, 2}).scalar_type(), torch::kFloat64);
}

template <class Action>
std::string bad_input(Action action) {
  try {
    action();
  } catch (const BadInput& error) {
    return error.what();
  }
  return "accepted";
}

TEST(KvCache, RefusesMoreTokensThanFit) {
  const torch::NoGradGuard no_gradient;
  LanguageModel model(small_config(), 3);
  KvCache cache(model->config(), 1, 8);
  model->forward(cached_ids(1, 7), {.cache = &cache});
  EXPECT_EQ(bad_input([&] { model->forward(cached_ids(1, 2), {.cache = &cache}); }),
            "9 tokens do not fit in a cache for 8");
  EXPECT_EQ(bad_input([&] { model->forward(cached_ids(1, 10), {.cache = &cache}); }),
            "17 tokens do not fit in the model's context of 16: shorten the text or train with a larger context");
}

TEST(KvCache, RefusesAnotherNumberOfTexts) {
  LanguageModel model(small_config(), 3);
  KvCache cache(model->config(), 2, 8);
  EXPECT_EQ(bad_input([&] { model->forward(cached_ids(3, 2), {.cache = &cache}); }),
            "a cache for 2 texts was given with 3 texts");
}

TEST(KvCache, RefusesMoreRoomThanTheContext) {
  try {
    KvCache cache(small_config(), 1, 17);
    FAIL();
  } catch (const WrongUse& error) {
    EXPECT_STREQ(error.what(), "a cache must hold between 1 and the model's context of 16 tokens, asked for 17");
  }
}

}  // namespace
}  // namespace tinylm
