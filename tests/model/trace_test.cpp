// What a forward pass records of itself.
#include <gtest/gtest.h>

#include "model/model.h"
#include "testing/models.h"
#include "testing/tensors.h"

namespace tinylm {
namespace {

using tinylm::testing::describe;
using tinylm::testing::small_config;
using tinylm::testing::tensors_close;
using tinylm::testing::tensors_equal;
using tinylm::testing::varied_configs;

torch::Tensor traced_ids(std::int64_t B, std::int64_t T) {
  return torch::randint(19, {B, T}, torch::kInt64);
}

TEST(Trace, IsOfThePlainDefinitions) {
  torch::manual_seed(4);
  const torch::NoGradGuard no_gradient;
  for (const ModelConfig& config : varied_configs()) {
    LanguageModel model(config, 5);
    const torch::Tensor ids = traced_ids(2, 16), fast = model->forward(ids);
    Trace trace{.want_attention = true, .want_residuals = true};
    const torch::Tensor traced = model->forward(ids, {.trace = &trace});
    model->set_ops(Ops::kPlain);
    EXPECT_TRUE(tensors_equal(traced, model->forward(ids))) << describe(config);
    EXPECT_TRUE(tensors_close(traced, fast, 1e-4)) << describe(config);
    ASSERT_EQ(trace.attention.size(), 2U);
    ASSERT_EQ(trace.residuals.size(), 3U);
    for (const torch::Tensor& weights : trace.attention) {
      EXPECT_TRUE(tensors_close(weights.sum(-1), torch::ones({2, 4, 16}), 1e-6));
      EXPECT_TRUE(tensors_equal(weights.triu(1), torch::zeros({2, 4, 16, 16})));
    }
    EXPECT_EQ(trace.residuals[2].sizes().vec(), (std::vector<std::int64_t>{2, 16, 32}));
  }
}

TEST(Trace, HoldsOnePassAndOnlyWhatWasAskedFor) {
  const torch::NoGradGuard no_gradient;
  LanguageModel model(small_config(), 5);
  Trace trace{.want_attention = true};
  model->forward(traced_ids(1, 4), {.trace = &trace});
  model->forward(traced_ids(1, 5), {.trace = &trace});
  ASSERT_EQ(trace.attention.size(), 2U);
  EXPECT_EQ(trace.attention[0].size(-1), 5);
  EXPECT_TRUE(trace.residuals.empty());
}

TEST(Trace, HasHeadsThatGiveItsWeights) {
  const torch::NoGradGuard no_gradient;
  for (const ModelConfig& config : varied_configs()) {
    LanguageModel model(config, 5);
    Trace trace{.want_attention = true, .want_heads = true};
    model->forward(traced_ids(2, 6), {.trace = &trace});
    ASSERT_EQ(trace.heads.size(), 2U);
    for (std::size_t layer = 0; layer < 2; ++layer) {
      const TracedHeads& heads = trace.heads[layer];
      const ops::Attention again = ops::attention(heads.q, heads.k, heads.v, {.mask = trace.mask});
      EXPECT_TRUE(tensors_equal(again.weights, trace.attention[layer])) << describe(config);
      EXPECT_TRUE(tensors_equal(again.output, heads.output)) << describe(config);
    }
  }
}

TEST(Trace, HasResidualsThatGiveTheLogits) {
  const torch::NoGradGuard no_gradient;
  LanguageModel model(small_config(), 5, Ops::kPlain);
  Trace trace{.want_residuals = true};
  const torch::Tensor logits = model->forward(traced_ids(1, 6), {.trace = &trace});
  const auto parameters = model->named_parameters();
  const torch::Tensor last = torch::layer_norm(trace.residuals.back(), {32}, parameters["final_norm.weight"]);
  EXPECT_TRUE(tensors_close(torch::matmul(last, parameters["token_embedding.weight"].t()), logits, 1e-5));
}

}  // namespace
}  // namespace tinylm
