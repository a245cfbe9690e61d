// A tokenizer over a short text, and a model whose logits are known: what follows depends on the last token alone.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "model/model.h"
#include "testing/models.h"
#include "tokenizer/registry.h"

namespace tinylm::test {

class OneText : public TextReader {
 public:
  explicit OneText(std::string text) : text_(std::move(text)) {}
  bool next(std::string& piece) override {
    if (done_) return false;
    piece = text_;
    done_ = true;
    return true;
  }
  void rewind() override { done_ = false; }

 private:
  std::string text_;
  bool done_ = false;
};

inline std::unique_ptr<Tokenizer> tokenizer_over(const std::string& kind, const std::string& text) {
  TokenizerOptions options;
  options.tokenizer = kind;
  OneText reader(text);
  return make_tokenizer(options, 1, reader);
}

/// (token, following token) -> logit; all others are 0.
using Script = std::map<std::pair<TokenId, TokenId>, double>;

/// One block whose outputs are zero; embeddings are unit vectors, which RMSNorm scales by sqrt(V); the output
/// projection undoes that. So logits(last token a) = script(a, .).
inline LanguageModel scripted_model(std::int64_t V, std::int64_t context, const Script& script) {
  ModelConfig config;
  config.vocabulary_size = V;
  config.context = context;
  config.layers = 1;
  config.heads = 1;
  config.width = V;
  config.positions = "none";
  config.norm = NormKind::kRmsNorm;
  config.tied_embeddings = false;
  LanguageModel model(config, 1, Ops::kPlain);
  const torch::NoGradGuard no_grad;
  auto parameters = model->named_parameters();
  parameters["token_embedding.weight"].copy_(torch::eye(V));
  parameters["blocks.0.attention.projection.weight"].zero_();
  parameters["blocks.0.feed_forward.contract.weight"].zero_();
  torch::Tensor& output = parameters["output.weight"];  // [V, C]
  output.zero_();
  for (const auto& [pair, logit] : script) {
    output[pair.second][pair.first] = logit / std::sqrt(static_cast<double>(V));
  }
  return model;
}

/// testing::random_model() of two layers and two heads.
inline LanguageModel random_model(std::int64_t V, std::int64_t context, const std::string& positions) {
  ModelConfig config;
  config.vocabulary_size = V;
  config.context = context;
  config.layers = 2;
  config.heads = 2;
  config.width = 16;
  config.positions = positions;
  return testing::random_model(config);
}

}  // namespace tinylm::test
