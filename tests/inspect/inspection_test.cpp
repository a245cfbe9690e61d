#include "inspect/inspection.h"

#include <cmath>

#include <gtest/gtest.h>
#include <torch/nn/functional/loss.h>

#include "core/errors.h"
#include "sample/scripted_model.h"

namespace tinylm {
namespace {

/// A byte model of two layers and two heads with random weights.
LoadedModel random_model(std::int64_t context = 8) {
  LoadedModel loaded;
  loaded.tokenizer = test::tokenizer_over("byte", "x");
  loaded.model = test::random_model(loaded.tokenizer->vocabulary_size(), context, "learned");
  return loaded;
}

TEST(Inspect, GivesTheWeightsOfEveryLayerAndHead) {
  LoadedModel loaded = random_model();
  const std::vector<TokenId> ids = loaded.tokenizer->encode("abcd");
  const Inspection inspection = inspect(loaded, ids);
  ASSERT_EQ(inspection.attention.sizes(), (std::vector<std::int64_t>{2, 2, 4, 4}));
  EXPECT_EQ(inspection.attention.dtype(), torch::kFloat32);

  Trace trace;
  trace.want_attention = true;
  ForwardOptions options;
  options.trace = &trace;
  loaded.model->forward(torch::tensor(std::vector<std::int64_t>(ids.begin(), ids.end())).unsqueeze(0), options);
  for (std::int64_t layer = 0; layer < 2; ++layer) {
    EXPECT_TRUE(inspection.attention[layer].equal(trace.attention[static_cast<std::size_t>(layer)][0])) << layer;
  }
}

TEST(Inspect, RowsSumToOneAndSeeNoFutureToken) {
  LoadedModel loaded = random_model();
  const torch::Tensor attention = inspect(loaded, loaded.tokenizer->encode("abcdefgh")).attention;
  EXPECT_LT((attention.sum(-1) - 1.0).abs().max().item<double>(), 1e-6);
  EXPECT_EQ(attention.triu(1).abs().max().item<double>(), 0.0);
}

TEST(Inspect, LossesAreThoseOfEachTokenAfterTheFirst) {
  LoadedModel loaded = random_model();
  const std::vector<TokenId> ids = loaded.tokenizer->encode("abc");
  const Inspection inspection = inspect(loaded, ids);
  ASSERT_EQ(inspection.losses_nats.size(), 3U);
  EXPECT_TRUE(std::isnan(inspection.losses_nats[0]));
  const torch::Tensor logits = loaded.model->forward(
      torch::tensor(std::vector<std::int64_t>(ids.begin(), ids.end())).unsqueeze(0));  // [1, T, V]
  for (std::int64_t t = 1; t < 3; ++t) {
    const torch::Tensor target = torch::tensor({static_cast<std::int64_t>(ids[static_cast<std::size_t>(t)])});
    const double expected = torch::nn::functional::cross_entropy(logits[0].slice(0, t - 1, t), target).item<double>();
    EXPECT_NEAR(inspection.losses_nats[static_cast<std::size_t>(t)], expected, 1e-4) << t;
  }
}

TEST(Inspect, OneTokenHasOneWeightAndNoLoss) {
  LoadedModel loaded = random_model();
  const Inspection inspection = inspect(loaded, {65});
  EXPECT_TRUE(inspection.attention.equal(torch::ones({2, 2, 1, 1})));
  EXPECT_TRUE(std::isnan(inspection.losses_nats[0]));
}

TEST(Inspect, TextsAreExactAndLabelsVisible) {
  LoadedModel loaded = random_model();
  std::vector<TokenId> ids = {loaded.tokenizer->start_id()};
  loaded.tokenizer->encode("a\n\u00E9 ", ids);
  const Inspection inspection = inspect(loaded, ids);
  EXPECT_EQ(inspection.texts, (std::vector<std::string>{"", "a", "\n", "<C3>", "<A9>", " "}));
  EXPECT_EQ(inspection.labels[1], "a");
  EXPECT_EQ(inspection.labels[2], "\u23CE");
  EXPECT_EQ(inspection.labels[5], "\u2423");
  EXPECT_EQ(inspection.labels[0], loaded.tokenizer->label(loaded.tokenizer->start_id()));
}

TEST(Inspect, RefusesNoTokensAndMoreThanTheContext) {
  LoadedModel loaded = random_model(/*context=*/2);
  EXPECT_THROW(inspect(loaded, {}), BadInput);
  try {
    inspect(loaded, {1, 2, 3});
    FAIL() << "expected BadInput";
  } catch (const BadInput& error) {
    EXPECT_STREQ(error.what(), "a text of 3 tokens cannot be inspected: expected 1 to 2, the model's context");
  }
}

TEST(HeadName, CountsFromZero) {
  EXPECT_EQ(head_name(0, 12), "L0H12");
}

}  // namespace
}  // namespace tinylm
