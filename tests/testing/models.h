// Small models for tests.
#pragma once

#include <string>
#include <vector>

#include "core/torch.h"
#include "model/model.h"

namespace tinylm::testing {

/// 2 layers, 4 heads, 32 wide, context 16, 19 tokens.
inline ModelConfig small_config(const std::string& positions = "learned") {
  ModelConfig config;
  config.vocabulary_size = 19;
  config.context = 16;
  config.layers = 2;
  config.heads = 4;
  config.width = 32;
  config.positions = positions;
  return config;
}

/// One configuration for each choice, and some that choose several at once; every kind of positions occurs.
inline std::vector<ModelConfig> varied_configs() {
  std::vector<ModelConfig> all;
  for (const char* positions : {"learned", "sinusoidal", "rope", "alibi", "none"})
    all.push_back(small_config(positions));
  const auto with = [&](auto change) {
    all.push_back(small_config());
    change(all.back());
  };
  with([](ModelConfig& c) { c.norm = NormKind::kRmsNorm; });
  with([](ModelConfig& c) { c.activation = ActivationKind::kSquaredRelu; });
  with([](ModelConfig& c) { c.activation = ActivationKind::kSwiGlu; });
  with([](ModelConfig& c) { c.bias = true; });
  with([](ModelConfig& c) { c.tied_embeddings = false; });
  with([](ModelConfig& c) { c.kv_heads = 2; });
  with([](ModelConfig& c) { c.query_key_norm = true; });
  with([](ModelConfig& c) { c.feed_forward_width = 40; });
  with([](ModelConfig& c) {  // Llama's choices
    c.positions = "rope", c.norm = NormKind::kRmsNorm, c.activation = ActivationKind::kSwiGlu;
    c.tied_embeddings = false, c.kv_heads = 1, c.query_key_norm = true;
  });
  with([](ModelConfig& c) { c.positions = "alibi", c.kv_heads = 2, c.bias = true, c.query_key_norm = true; });
  return all;
}

/// A model whose random weights are large enough that its texts are not all alike.
inline LanguageModel random_model(const ModelConfig& config) {
  LanguageModel model(config, 5);
  const torch::NoGradGuard no_gradient;
  for (torch::Tensor& parameter : model->parameters()) parameter.mul_(4.0);
  return model;
}

/// What a failed check in a loop over configurations prints.
inline std::string describe(const ModelConfig& c) {
  return c.positions + (c.norm == NormKind::kRmsNorm ? " rmsnorm" : "") +
         (c.activation == ActivationKind::kSwiGlu        ? " swiglu"
          : c.activation == ActivationKind::kSquaredRelu ? " relu2"
                                                         : "") +
         (c.bias ? " bias" : "") + (c.tied_embeddings ? "" : " untied") + (c.query_key_norm ? " qk-norm" : "") +
         " kv_heads " + std::to_string(c.kv_heads) + " feed_forward_width " + std::to_string(c.feed_forward_width);
}

}  // namespace tinylm::testing
