#include "model/decoder.h"

#include <gtest/gtest.h>

#include <random>

#include "core/instruction_set.h"
#include "core/parallel.h"
#include "model/model.h"
#include "testing/models.h"
#include "testing/tensors.h"

namespace tinylm {
namespace {

using tinylm::testing::small_config;
using tinylm::testing::tensors_close;
using tinylm::testing::tensors_equal;

/// Sizes and choices of every kind, from a seed.
class RandomConfig {
 public:
  explicit RandomConfig(std::uint32_t seed) : random_(seed) {}

  ModelConfig make() {
    ModelConfig config;
    config.positions = one_of<const char*>({"learned", "sinusoidal", "rope", "alibi", "none"});
    config.vocabulary_size = between(1, 70);
    config.context = between(1, 40);
    config.layers = between(1, 2);
    const std::int64_t D = head_size(config.positions == "rope"), most = D < 64 ? 3 : 1;
    config.kv_heads = between(1, most);
    config.heads = config.kv_heads * between(1, most + 1);
    config.width = config.heads * D;
    config.feed_forward_width = one_of<std::int64_t>({0, 0, between(1, 50), 64});
    config.norm = one_of({NormKind::kLayerNorm, NormKind::kRmsNorm});
    if (config.width == 1) config.norm = NormKind::kRmsNorm;  // libtorch's LayerNorm of one number misses 0 by a bit
    config.activation = one_of({ActivationKind::kGelu, ActivationKind::kSquaredRelu, ActivationKind::kSwiGlu});
    config.bias = between(0, 1) == 1;
    config.tied_embeddings = between(0, 1) == 1;
    config.query_key_norm = between(0, 1) == 1;
    return config;
  }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }

 private:
  template <class Value>
  Value one_of(std::initializer_list<Value> values) {
    return values.begin()[between(0, static_cast<std::int64_t>(values.size()) - 1)];
  }
  std::int64_t head_size(bool even) {
    return even ? one_of<std::int64_t>({2, 8, 10, 16, 32, 64, 128})
                : one_of<std::int64_t>({1, 8, 9, 16, 31, 32, 64, 128});
  }

  std::mt19937 random_;
};

/// Weights large enough that every part shows in the logits, which stay around 1.
LanguageModel shown_model(const ModelConfig& config, Ops ops) {
  LanguageModel model(config, 3, ops);
  const torch::NoGradGuard no_gradient;
  const at::Generator generator = torch::make_generator<at::CPUGeneratorImpl>(11);
  for (torch::Tensor& parameter : model->parameters()) {
    const double inputs = static_cast<double>(parameter.size(-1));
    const torch::Tensor drawn = torch::randn(parameter.sizes(), generator, torch::kFloat32);
    if (parameter.dim() == 2)
      parameter.copy_(drawn / std::sqrt(inputs));
    else
      parameter.add_(drawn * 0.3);
  }
  return model;
}

torch::Tensor decoder_ids(const ModelConfig& config, std::int64_t B, std::int64_t T) {
  return torch::randint(config.vocabulary_size, {B, T}, torch::kInt64);
}

/// Logits of all tokens, fed in chunks of at most `most` tokens.
torch::Tensor decoded(LanguageModel& model, const torch::Tensor& ids, std::int64_t most) {
  const torch::NoGradGuard no_gradient;
  KvCache cache(model->config(), ids.size(0), model->config().context);
  std::vector<torch::Tensor> parts;
  for (std::int64_t i = 0; i < ids.size(1); i += most)
    parts.push_back(model->forward(ids.slice(1, i, std::min(i + most, ids.size(1))), {.cache = &cache}));
  return torch::cat(parts, 1);
}

TEST(Decoder, GivesTheLogitsOfTheDefinitionForEveryChoiceAndLength) {
  torch::manual_seed(1);
  const torch::NoGradGuard no_gradient;
  RandomConfig random(5);
  for (int i = 0; i < 240; ++i) {
    const ModelConfig config = random.make();
    LanguageModel fast = shown_model(config, Ops::kAuto), plain = shown_model(config, Ops::kPlain);
    const torch::Tensor ids = decoder_ids(config, random.between(1, 9), random.between(1, config.context));
    const torch::Tensor expected = plain->forward(ids);
    for (const InstructionSet set : available_instruction_sets()) {
      const InstructionSetLimit limit(set);
      EXPECT_TRUE(tensors_close(decoded(fast, ids, random.between(1, 12)), expected, 1e-5, 1e-5))
          << name_of(set) << ": " << testing::describe(config) << " heads " << config.heads << " width " << config.width
          << " ids " << ids.sizes();
    }
  }
}

ModelConfig larger_config() {
  ModelConfig config = small_config("rope");
  config.width = 128;
  config.vocabulary_size = 65;
  config.context = 40;
  config.bias = true;
  return config;
}

TEST(Decoder, TextDoesNotDependOnTheOtherTextsTheChunksOrTheThreads) {
  torch::manual_seed(2);
  const ModelConfig config = larger_config();
  LanguageModel model = shown_model(config, Ops::kAuto);
  const torch::Tensor ids = decoder_ids(config, 32, 40);
  const int before = omp_get_max_threads();
  for (const InstructionSet set : available_instruction_sets()) {
    const InstructionSetLimit limit(set);
    const torch::Tensor expected = decoded(model, ids, 1);
    for (const int threads : {1, 2, 3}) {
      omp_set_num_threads(threads);
      EXPECT_TRUE(tensors_equal(decoded(model, ids, 40), expected)) << threads;
      EXPECT_TRUE(tensors_equal(decoded(model, ids.slice(0, 4, 7), 1), expected.slice(0, 4, 7))) << threads;
      for (const std::int64_t most : {1, 7})
        EXPECT_TRUE(tensors_equal(decoded(model, ids.slice(0, 9, 10), most), expected.slice(0, 9, 10))) << threads;
    }
    omp_set_num_threads(before);
  }
}

TEST(Decoder, TakesMoreTokensThanOneWalkHasRows) {
  torch::manual_seed(3);
  ModelConfig config = small_config("alibi");
  config.context = 200;
  LanguageModel fast = shown_model(config, Ops::kAuto), plain = shown_model(config, Ops::kPlain);
  const torch::NoGradGuard no_gradient;
  const torch::Tensor ids = decoder_ids(config, 3, 200);
  EXPECT_TRUE(tensors_close(decoded(fast, ids, 200), plain->forward(ids), 1e-5, 1e-5));
}

TEST(Decoder, GivesTheLastTokensLogitsAlone) {
  torch::manual_seed(4);
  const torch::NoGradGuard no_gradient;
  ModelConfig config = small_config();
  config.context = 150;
  LanguageModel model = shown_model(config, Ops::kAuto);
  for (const std::int64_t T : {1, 2, 64, 65, 150}) {
    const torch::Tensor ids = decoder_ids(config, 3, T);
    KvCache whole(config, 3, 150), last(config, 3, 150);
    const torch::Tensor expected = model->forward(ids, {.cache = &whole}).slice(1, T - 1);
    EXPECT_TRUE(tensors_equal(model->forward(ids, {.cache = &last, .last_only = true}), expected)) << T;
    EXPECT_EQ(last.length(), T);
  }
}

TEST(Decoder, FollowsParametersThatChange) {
  torch::manual_seed(5);
  const torch::NoGradGuard no_gradient;
  const ModelConfig config = small_config();
  LanguageModel model = shown_model(config, Ops::kAuto);
  const torch::Tensor ids = decoder_ids(config, 1, 5), before = decoded(model, ids, 5);
  for (torch::Tensor& parameter : model->parameters()) parameter.mul_(0.5);
  const torch::Tensor after = decoded(model, ids, 5);
  EXPECT_FALSE(tensors_close(after, before, 1e-3));
  EXPECT_TRUE(tensors_close(after, model->forward(ids), 1e-5));
}

TEST(Decoder, GivesTheSameBitsEachTime) {
  torch::manual_seed(6);
  const ModelConfig config = larger_config();
  LanguageModel model = shown_model(config, Ops::kAuto);
  const torch::Tensor ids = decoder_ids(config, 5, 40), first = decoded(model, ids, 3);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(tensors_equal(decoded(model, ids, 3), first));
}

}  // namespace
}  // namespace tinylm
