// What must add up, on random models of every configuration.
#include <cmath>

#include <gtest/gtest.h>

#include "core/errors.h"
#include "inspect/ablation.h"
#include "inspect/logit_attribution.h"
#include "inspect/logit_lens.h"
#include "inspect/random_models.h"
#include "model/ops/loss.h"
#include "testing/tensors.h"

namespace tinylm {
namespace {

using test::kText;
using testing::describe;
using testing::tensors_close;
using testing::tensors_equal;
using testing::varied_configs;

void for_each_model(const std::function<void(const TracedText&, LoadedModel&)>& check) {
  for (ModelConfig config : varied_configs()) {
    SCOPED_TRACE(describe(config));
    LoadedModel loaded = test::loaded_random(config);
    check(TracedText(loaded, kText), loaded);
  }
}

TEST(TracedText, AttentionRowsSumToOneAndSeeNothingLater) {
  for_each_model([](const TracedText& traced, LoadedModel&) {
    EXPECT_LT((traced.text.attention.sum(-1) - 1.0).abs().max().item<double>(), 1e-6);
    EXPECT_EQ(traced.text.attention.triu(1).abs().max().item<double>(), 0.0);
  });
}

TEST(TracedText, LogitsEqualUntracedOnesBitForBit) {
  for_each_model([](const TracedText& traced, LoadedModel& loaded) {
    loaded.model->set_ops(Ops::kPlain);
    const torch::NoGradGuard no_gradient;
    EXPECT_TRUE(tensors_equal(traced.text.logits, loaded.model->forward(ids_tensor(kText).unsqueeze(0))[0]));
  });
}

// One layer, V = 19, C = 32, H = 4, GELU: 12 C^2 = 12,288 multiplications a token in the block's matrices, T C = 3,200
// in the products of attention, half of whose pairs are hidden, 20 operations a weight for softmax, V C = 608 in the
// output.
TEST(Ablation, CountsItsOperations) {
  ModelConfig config = testing::small_config();
  config.layers = 1;
  const double softmax = 20.0 * 4 * 100 / 2;  // a token; a multiplication and an addition count as two
  EXPECT_DOUBLE_EQ(ablation_operations(config, 100, {{0, 0}, {0, 3}}),
                   2 * 2 * 100 * (2.0 * (12288 + 3200 + 608) + softmax));  // two heads, by zero and by mean
}

TEST(TracedText, HeadsAndBiasAddUpToWhatAttentionAdds) {
  for_each_model([](const TracedText& traced, LoadedModel&) {
    for (std::int64_t layer = 0; layer < 2; ++layer) {
      const auto l = static_cast<std::size_t>(layer);
      torch::Tensor sum = traced.trace.residuals[l].squeeze(0) + traced.head_outputs(layer).sum(0);
      const torch::Tensor bias = traced.weights.head_bias(layer);
      if (bias.defined()) sum = sum + bias;
      EXPECT_TRUE(tensors_close(sum, traced.trace.after_attention[l].squeeze(0), 1e-4, 1e-5));
    }
  });
}

// |A[q,k] f(x_k)| from the traced attention and the value of each key, one product at a time.
TEST(ValueNorms, TimesTheWeightsAreTheNormsOfWhatIsAdded) {
  for_each_model([](const TracedText& traced, LoadedModel&) {
    const torch::Tensor norms = traced.value_norms();  // [L, H, T]
    const std::int64_t group = traced.config().heads / traced.config().key_value_heads();
    for (std::int64_t layer = 0; layer < 2; ++layer) {
      for (std::int64_t head = 0; head < 4; ++head) {
        const torch::Tensor v = traced.trace.heads[static_cast<std::size_t>(layer)].v[0][head / group];  // [T, D]
        const torch::Tensor weights = traced.text.attention[layer][head];                                // [T, T]
        const torch::Tensor added = weights.unsqueeze(2) * torch::matmul(v, traced.weights.of_heads(layer)[head]);
        EXPECT_TRUE(tensors_close(weights * norms[layer][head], added.norm(2, {-1}), 1e-5, 1e-5));
        // The values of all keys add up to the head's output.
        EXPECT_TRUE(tensors_close(added.sum(1), traced.head_outputs(layer)[head], 1e-4, 1e-5));
      }
    }
  });
}

TEST(LogitLens, EndsWithTheModelsOwnLogits) {
  for_each_model([](const TracedText& traced, LoadedModel&) {
    EXPECT_TRUE(tensors_equal(lens_logits(traced, 2), traced.text.logits));
    EXPECT_TRUE(tensors_close(traced.weights.logits(traced.trace.residuals[2].squeeze(0), Ops::kAuto),
                              traced.text.logits, 1e-4, 1e-5));
  });
}

TEST(LogitLens, GivesTheModelsLossesInItsLastRow) {
  for_each_model([](const TracedText& traced, LoadedModel&) {
    const LogitLens lens = logit_lens(traced);
    ASSERT_EQ(lens.top.sizes(), (std::vector<std::int64_t>{3, 12, 5}));
    for (std::int64_t t = 0; t + 1 < 12; ++t)
      EXPECT_NEAR(-std::log(lens.target_probabilities[2][t].item<double>()),
                  traced.text.losses_nats[static_cast<std::size_t>(t + 1)], 1e-3);
    EXPECT_TRUE(std::isnan(lens.target_probabilities[2][11].item<double>()));
    const torch::Tensor p = torch::softmax(lens_logits(traced, 1)[4], -1);
    EXPECT_TRUE(tensors_close(lens.top_probabilities[1][4], p.index_select(0, lens.top[1][4].to(torch::kInt64)), 1e-6));
    EXPECT_EQ(lens.top[1][4][0].item<std::int64_t>(), p.argmax().item<std::int64_t>());
    EXPECT_NEAR(lens.entropy_nats[1][4].item<double>(), -torch::xlogy(p, p).sum().item<double>(), 1e-5);
  });
}

TEST(LogitAttribution, SumsToTheLogitOfTheNextToken) {
  for_each_model([](const TracedText& traced, LoadedModel&) {
    const LogitAttribution attribution = logit_attribution(traced);
    const torch::Tensor sums = attribution.values.slice(1, 0, 11).sum(0), logits = attribution.logits.slice(0, 0, 11);
    EXPECT_TRUE(tensors_close(sums, logits, 1e-4, 1e-5));
    EXPECT_TRUE(attribution.values.select(1, 11).isnan().all().item<bool>());
    for (std::int64_t t = 0; t < 11; ++t)
      EXPECT_EQ(logits[t].item<float>(), traced.text.logits[t][kText[static_cast<std::size_t>(t) + 1]].item<float>());
  });
}

// The definition, component by component: ((c - mean c) / sigma . gamma) . w.
TEST(LogitAttribution, OfAHeadIsItsOutputThroughTheFrozenNorm) {
  for (const NormKind norm : {NormKind::kLayerNorm, NormKind::kRmsNorm}) {
    ModelConfig config = testing::small_config();
    config.norm = norm;
    LoadedModel loaded = test::loaded_random(config);
    const TracedText traced(loaded, kText);
    const LogitAttribution attribution = logit_attribution(traced);
    const torch::Tensor x = traced.trace.residuals[2][0][3], c = traced.head_outputs(1)[2][3];
    const torch::Tensor centred = norm == NormKind::kLayerNorm ? c - c.mean() : c;
    const torch::Tensor spread = norm == NormKind::kLayerNorm ? x - x.mean() : x;
    const double expected = ((centred / (spread.square().mean() + 1e-5).sqrt() * traced.weights.norm_weight()) *
                             traced.weights.output()[kText[4]])
                                .sum()
                                .item<double>();
    for (std::size_t i = 0; i < attribution.components.size(); ++i) {
      if (attribution.components[i].name != "L1H2") continue;
      EXPECT_NEAR(attribution.values[static_cast<std::int64_t>(i)][3].item<double>(), expected, 1e-4);
    }
    EXPECT_NEAR(attribution.mean_of_heads(2, 4)[1][2].item<double>(),
                attribution.values[2 + 5 + 2].slice(0, 0, 11).mean().item<double>(), 1e-6)
        << "after embedding, position, four heads and a feed-forward";
  }
}

/// Losses [T-1] with the columns of the projection that belong to a head zero, so that it says nothing.
torch::Tensor losses_with_zero_columns(LoadedModel& loaded, std::int64_t layer, std::int64_t head) {
  const torch::NoGradGuard no_gradient;
  torch::Tensor weight =
      loaded.model->named_parameters()["blocks." + std::to_string(layer) + ".attention.projection.weight"];
  const torch::Tensor kept = weight.clone();
  weight.slice(1, 8 * head, 8 * (head + 1)).zero_();
  const torch::Tensor ids = ids_tensor(kText);
  const torch::Tensor losses = ops::next_token_loss(loaded.model->forward(ids.unsqueeze(0))[0].slice(0, 0, 11),
                                                    ids.slice(0, 1), ops::LossReduction::kNone);
  weight.copy_(kept);
  return losses;
}

TEST(Ablation, ByZeroIsTheModelWithoutTheHeadsColumns) {
  for_each_model([](const TracedText& traced, LoadedModel& loaded) {
    const Ablation ablation = ablate(traced, places_of(HeadSelection::all(traced.config())));
    const torch::Tensor base = torch::tensor(traced.text.losses_nats).slice(0, 1).to(torch::kFloat32);
    for (const HeadPlace& place : {HeadPlace{0, 0}, HeadPlace{0, 3}, HeadPlace{1, 2}}) {
      const torch::Tensor expected = losses_with_zero_columns(loaded, place.layer, place.head) - base;
      EXPECT_TRUE(tensors_close(ablation.zero[place.layer][place.head].slice(0, 1), expected, 2e-4, 1e-4));
    }
    EXPECT_TRUE(ablation.zero.select(2, 0).isnan().all().item<bool>());
  });
}

// In the last layer: the head's mean output in its place, through the rest of the block by hand.
TEST(Ablation, ByMeanPutsTheMeanInThePlaceOfTheOutput) {
  for_each_model([](const TracedText& traced, LoadedModel& loaded) {
    const Ablation ablation = ablate(traced, {{1, 1}});
    const torch::Tensor output = traced.head_outputs(1)[1];  // [T, C]
    const torch::Tensor x = traced.trace.after_attention[1] - output + output.mean(0);
    const torch::NoGradGuard no_gradient;
    const torch::Tensor logits =
        torch::matmul(loaded.model->hidden_after_attention(x, 1)[0], traced.weights.output().t());
    const torch::Tensor losses =
        ops::next_token_loss(logits.slice(0, 0, 11), traced.targets(), ops::LossReduction::kNone);
    const torch::Tensor base = torch::tensor(traced.text.losses_nats).slice(0, 1).to(torch::kFloat32);
    EXPECT_TRUE(tensors_close(ablation.mean[1][1].slice(0, 1), losses - base, 2e-4, 1e-4));
    EXPECT_TRUE(ablation.mean[0].isnan().all().item<bool>()) << "left out";
  });
}

TEST(Ablation, OfAHeadThatSaysNothingChangesNothing) {
  ModelConfig config = testing::small_config();
  LoadedModel loaded = test::loaded_random(config);
  {
    const torch::NoGradGuard no_gradient;
    loaded.model->named_parameters()["blocks.0.attention.projection.weight"].slice(1, 8, 16).zero_();
  }
  const TracedText traced(loaded, kText);
  const Ablation ablation = ablate(traced, places_of(HeadSelection::all(config)));
  EXPECT_EQ(ablation.zero[0][1].slice(0, 1).abs().max().item<double>(), 0.0);
  EXPECT_EQ(ablation.mean[0][1].slice(0, 1).abs().max().item<double>(), 0.0);
  EXPECT_GT(ablation.zero[0][2].slice(0, 1).abs().max().item<double>(), 0.0);
}

TEST(Ablation, OfOneTokenHasNoLossAndOfAModelWithoutMaskIsRefused) {
  LoadedModel loaded = test::loaded_random(testing::small_config());
  const TracedText traced(loaded, {5});
  EXPECT_TRUE(ablate(traced, {{0, 0}}).zero.isnan().all().item<bool>());
  ModelConfig open = testing::small_config();
  open.attention_mask = MaskKind::kNone;
  LoadedModel without_mask = test::loaded_random(open);
  EXPECT_THROW(ablate(TracedText(without_mask, kText), {{0, 0}}), WrongUse);
}

TEST(LogitAttribution, OfOneTokenIsNotANumber) {
  LoadedModel loaded = test::loaded_random(testing::small_config());
  const LogitAttribution attribution = logit_attribution(TracedText(loaded, {5}));
  EXPECT_TRUE(attribution.values.isnan().all().item<bool>());
  EXPECT_TRUE(attribution.mean_of_heads(2, 4).isnan().all().item<bool>());
}

}  // namespace
}  // namespace tinylm
