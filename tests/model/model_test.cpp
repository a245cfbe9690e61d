#include "model/model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/errors.h"
#include "model/initialise.h"
#include "model/ops/loss.h"
#include "testing/models.h"
#include "testing/tensors.h"

namespace tinylm {
namespace {

using tinylm::testing::describe;
using tinylm::testing::small_config;
using tinylm::testing::tensors_close;
using tinylm::testing::tensors_equal;
using tinylm::testing::varied_configs;

torch::Tensor random_ids(std::int64_t B, std::int64_t T, std::int64_t V = 19) {
  return torch::randint(V, {B, T}, torch::kInt64);
}

ModelConfig tiny_config() {
  ModelConfig config;
  config.vocabulary_size = 65;
  return config;
}

TEST(LanguageModel, FutureTokensChangeNothing) {
  torch::manual_seed(1);
  const torch::NoGradGuard no_gradient;
  for (const ModelConfig& config : varied_configs()) {
    for (const Ops ops : {Ops::kAuto, Ops::kPlain}) {
      LanguageModel model(config, 5, ops);
      const torch::Tensor ids = random_ids(3, 16), changed = ids.clone();
      changed.slice(1, 9).copy_((ids.slice(1, 9) + 7) % 19);
      const torch::Tensor one = model->forward(ids), other = model->forward(changed);
      EXPECT_TRUE(tensors_equal(other.slice(1, 0, 9), one.slice(1, 0, 9))) << describe(config);
      EXPECT_FALSE(torch::equal(other.slice(1, 9), one.slice(1, 9)));
    }
  }
}

TEST(LanguageModel, GoesOnAfterTheAttentionOfAnyLayerAsIfItHadComputedIt) {
  torch::manual_seed(1);
  const torch::NoGradGuard no_gradient;
  for (const ModelConfig& config : varied_configs()) {
    LanguageModel model = testing::random_model(config);
    const torch::Tensor ids = random_ids(2, 16);
    Trace trace{.want_residuals = true};
    const torch::Tensor whole = model->hidden(ids, {.trace = &trace});  // on the definitions
    ASSERT_EQ(trace.after_attention.size(), 2U);
    for (const std::int64_t layer : {0, 1}) {
      const torch::Tensor& x = trace.after_attention[static_cast<std::size_t>(layer)];
      EXPECT_TRUE(tensors_close(model->hidden_after_attention(x, layer), whole, 1e-4, 1e-4)) << describe(config);
      model->set_ops(Ops::kPlain);
      EXPECT_TRUE(tensors_equal(model->hidden_after_attention(x, layer), whole)) << describe(config);
      model->set_ops(Ops::kAuto);
    }
  }
}

TEST(LanguageModel, WithoutMaskEarlierLogitsDependOnLaterTokensUnlessForced) {
  torch::manual_seed(1);
  const torch::NoGradGuard no_gradient;
  for (ModelConfig config : varied_configs()) {
    LanguageModel causal(config, 5);
    config.attention_mask = MaskKind::kNone;
    LanguageModel open(config, 5);
    const torch::Tensor ids = random_ids(2, 8), changed = ids.clone();
    changed.select(1, 7).copy_((ids.select(1, 7) + 7) % 19);
    EXPECT_FALSE(torch::equal(open->forward(ids).select(1, 0), open->forward(changed).select(1, 0)))
        << describe(config);
    EXPECT_TRUE(tensors_equal(open->forward(ids, {.force_causal = true}), causal->forward(ids))) << describe(config);
  }
}

TEST(LanguageModel, RefusesACacheWithoutMask) {
  ModelConfig config = small_config();
  config.attention_mask = MaskKind::kNone;
  LanguageModel model(config, 5);
  KvCache cache(config, 1, 4);
  EXPECT_THROW(model->forward(random_ids(1, 2), {.cache = &cache}), BadInput);
}

double start_loss(const ModelConfig& config, std::int64_t B, std::int64_t T) {
  const torch::NoGradGuard no_gradient;
  LanguageModel model(config, 1337);
  const std::int64_t V = config.vocabulary_size;
  return ops::next_token_loss(model->forward(random_ids(B, T, V)), random_ids(B, T, V)).item<double>();
}

TEST(LanguageModel, StartsNearTheLossOfAUniformGuess) {
  torch::manual_seed(2);
  EXPECT_NEAR(start_loss(tiny_config(), 12, 64), std::log(65.0), 0.1);
  ModelConfig wide = tiny_config();
  wide.layers = 1;
  wide.heads = 12;
  wide.width = 768;
  EXPECT_NEAR(start_loss(wide, 12, 64), std::log(65.0), 0.1);
  wide.tied_embeddings = false;
  EXPECT_NEAR(start_loss(wide, 12, 64), std::log(65.0), 0.1);
}

TEST(LanguageModel, StartsNearTheLossOfAUniformGuessForEveryKind) {
  torch::manual_seed(3);
  for (ModelConfig config : varied_configs()) {
    for (const std::int64_t width : {64, 384}) {
      config.width = width;
      config.vocabulary_size = 65;
      EXPECT_NEAR(start_loss(config, 64, 16), std::log(65.0), 0.1) << describe(config) << " width " << width;
    }
  }
}

TEST(LanguageModel, InitialisesByItsRule) {
  ModelConfig config = tiny_config();
  config.bias = true;
  config.width = 768;
  config.heads = 12;
  config.layers = 2;
  LanguageModel model(config, 9);
  const auto deviation = [&](const char* name) { return model->named_parameters()[name].std().item<double>(); };
  const double residual = 0.02 / std::sqrt(4.0), logits = kLogitDeviation / std::sqrt(768.0);
  EXPECT_NEAR(deviation("token_embedding.weight"), logits, 0.02 * logits);
  EXPECT_NEAR(deviation("positions.weight"), 0.02, 0.0004);
  EXPECT_NEAR(deviation("blocks.0.attention.query_key_value.weight"), 0.02, 0.0001);
  EXPECT_NEAR(deviation("blocks.1.feed_forward.expand.weight"), 0.02, 0.0001);
  EXPECT_NEAR(deviation("blocks.0.attention.projection.weight"), residual, 0.0001);
  EXPECT_NEAR(deviation("blocks.1.feed_forward.contract.weight"), residual, 0.0001);
  const auto parameters = model->named_parameters();
  EXPECT_NEAR(parameters["blocks.0.attention.query_key_value.weight"].mean().item<double>(), 0.0, 0.0001);
  EXPECT_TRUE(tensors_equal(parameters["final_norm.weight"], torch::ones({768})));
  EXPECT_TRUE(tensors_equal(parameters["blocks.1.feed_forward_norm.bias"], torch::zeros({768})));
  EXPECT_TRUE(tensors_equal(parameters["blocks.0.attention.query_key_value.bias"], torch::zeros({3 * 768})));
}

TEST(LanguageModel, BlocksCanBeginByPassingOnWhatTheyGet) {
  ModelConfig config = tiny_config();
  config.initialisation = InitialisationKind::kZeroResidual;
  config.width = 128;
  config.tied_embeddings = false;
  LanguageModel model(config, 9);
  const auto deviation = [&](const char* name) { return model->named_parameters()[name].std().item<double>(); };
  EXPECT_NEAR(deviation("token_embedding.weight"), 0.1, 0.01);
  EXPECT_NEAR(deviation("blocks.0.attention.query_key_value.weight"), 0.6 / std::sqrt(128.0), 0.001);
  EXPECT_NEAR(deviation("output.weight"), kLogitDeviation / std::sqrt(128.0), 0.003);
  Trace trace{.want_residuals = true};
  model->forward(torch::tensor({{1, 2, 0}}), {.trace = &trace});
  for (const torch::Tensor& residual : trace.residuals) EXPECT_TRUE(torch::equal(residual, trace.residuals[0]));
}

TEST(LanguageModel, NarrowModelsKeepTheUsualDeviationOfTheEmbedding) {
  LanguageModel model(tiny_config(), 9);
  EXPECT_NEAR(model->named_parameters()["token_embedding.weight"].std().item<double>(), 0.02, 0.0006);
}

TEST(LanguageModel, InitialWeightsAreAFunctionOfTheSeed) {
  LanguageModel one(small_config(), 5), same(small_config(), 5), other(small_config(), 6);
  const char* name = "blocks.1.attention.projection.weight";
  EXPECT_TRUE(tensors_equal(one->named_parameters()[name], same->named_parameters()[name]));
  EXPECT_FALSE(torch::equal(one->named_parameters()[name], other->named_parameters()[name]));
}

std::vector<torch::Tensor> gradients_of(LanguageModel& model, const torch::Tensor& ids,
                                        const DropoutPlan* dropout = nullptr) {
  model->zero_grad();
  ops::next_token_loss(model->forward(ids, {.dropout = dropout}), ids.roll(-1, 1)).backward();
  std::vector<torch::Tensor> gradients;
  for (const torch::Tensor& parameter : model->parameters()) gradients.push_back(parameter.grad().clone());
  return gradients;
}

TEST(LanguageModel, FastAndPlainGradientsAgree) {
  torch::manual_seed(5);
  for (const ModelConfig& config : varied_configs()) {
    LanguageModel model(config, 5);
    const torch::Tensor ids = random_ids(3, 16);
    const DropoutPlan plan{.probability = 0.1, .seed = 3, .first_sample = 12};
    const auto fast = gradients_of(model, ids, &plan);
    model->set_ops(Ops::kPlain);
    const auto plain = gradients_of(model, ids, &plan);
    for (std::size_t i = 0; i < plain.size(); ++i)
      EXPECT_TRUE(tensors_close(fast[i], plain[i], 1e-6, 1e-3))
          << describe(config) << " " << model->named_parameters()[i].key();
  }
}

TEST(LanguageModel, GradientsMatchFiniteDifferences) {
  torch::manual_seed(6);
  for (ModelConfig config : varied_configs()) {
    config.context = 5, config.layers = 1, config.heads = config.kv_heads == 0 ? 2 : 4, config.width = 8;
    config.vocabulary_size = 6, config.feed_forward_width = 6;
    LanguageModel model(config, 5);
    model->to(torch::kFloat64);
    {
      const torch::NoGradGuard no_gradient;  // far enough from the small initial weights that no gradient is tiny
      for (torch::Tensor& parameter : model->parameters()) parameter.add_(torch::randn_like(parameter), 0.3);
    }
    const torch::Tensor ids = random_ids(2, 5, 6);
    const auto loss = [&](const std::vector<torch::Tensor>&) {
      return ops::next_token_loss(model->forward(ids), ids.roll(-1, 1));
    };
    EXPECT_TRUE(testing::gradients_match(loss, model->parameters())) << describe(config);
  }
}

TEST(LanguageModel, DropoutDoesNotDependOnMicroBatches) {
  torch::manual_seed(7);
  const torch::NoGradGuard no_gradient;
  LanguageModel model(small_config(), 5, Ops::kPlain);
  const torch::Tensor ids = random_ids(4, 16);
  const DropoutPlan all{.probability = 0.2, .seed = 3, .first_sample = 8};
  const DropoutPlan second{.probability = 0.2, .seed = 3, .first_sample = 10};
  const torch::Tensor together = model->forward(ids, {.dropout = &all});
  const torch::Tensor part = model->forward(ids.slice(0, 2), {.dropout = &second});
  EXPECT_TRUE(tensors_close(part, together.slice(0, 2), 1e-5));
  EXPECT_FALSE(torch::allclose(together, model->forward(ids), 1e-3, 1e-3));
}

template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(LanguageModel, RefusesIdsOutsideTheVocabulary) {
  LanguageModel model(small_config(), 5);
  const auto forward = [&](std::int64_t id) {
    return message_of([&] {
      model->forward(torch::tensor({{1L, 2L, 3L}, {4L, 5L, static_cast<long>(id)}}, torch::kInt64));
    });
  };
  EXPECT_EQ(forward(19),
            "token id 19 at text 1, token 2 is outside the vocabulary of 19: the text was made with another tokenizer "
            "than the model");
  EXPECT_EQ(forward(-1),
            "token id -1 at text 1, token 2 is outside the vocabulary of 19: the text was made with another tokenizer "
            "than the model");
  EXPECT_EQ(forward(18), "accepted");
}

TEST(LanguageModel, RefusesTextsLongerThanTheContext) {
  LanguageModel model(small_config(), 5);
  EXPECT_EQ(message_of([&] { model->forward(random_ids(1, 17)); }),
            "17 tokens do not fit in the model's context of 16: shorten the text or train with a larger context");
}

TEST(LanguageModel, RefusesWhatIsNoBatchOfIds) {
  LanguageModel model(small_config(), 5);
  const std::string expected = "a model takes token ids as a non-empty tensor [B, T] of 64-bit integers";
  EXPECT_EQ(message_of([&] { model->forward(torch::zeros({3}, torch::kInt64)); }), expected);
  EXPECT_EQ(message_of([&] { model->forward(torch::zeros({1, 3})); }), expected);
  EXPECT_EQ(message_of([&] { model->forward(torch::zeros({1, 0}, torch::kInt64)); }), expected);
}

TEST(LanguageModel, RefusesAConfigurationThatDoesNotValidate) {
  ModelConfig config = small_config();
  config.layers = 0;
  config.dropout = 3.0;
  EXPECT_EQ(message_of([&] { LanguageModel model(config, 5); }),
            "layers must be between 1 and 4096, found 0\ndropout must be at least 0 and below 1, found 3.0");
}

}  // namespace
}  // namespace tinylm
