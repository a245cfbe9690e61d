// Random models of every configuration, loaded as a run's would be, and their texts.
#pragma once

#include "inspect/traced_text.h"
#include "sample/scripted_model.h"

namespace tinylm::test {

/// `model` over the letters a to q, for a vocabulary of 19.
inline LoadedModel loaded_of(LanguageModel model) {
  LoadedModel loaded;
  loaded.tokenizer = tokenizer_over("char", "abcdefghijklmnopq");
  loaded.config.model = model->config();
  loaded.model = std::move(model);
  loaded.model->eval();
  return loaded;
}

inline LoadedModel loaded_random(const ModelConfig& config) {
  return loaded_of(testing::random_model(config));
}

/// Twelve tokens, some of them twice.
inline const std::vector<TokenId> kText = {3, 7, 2, 11, 3, 7, 18, 2, 2, 5, 3, 9};

}  // namespace tinylm::test
