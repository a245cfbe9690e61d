// What the model looks back on while it generates one or more texts, and how much of that is already in the key/value
// cache.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/model.h"
#include "tokenizer/tokenizer.h"

namespace tinylm {

/// At most `context` tokens of each text; all texts are equally long. With a cache, a forward pass sees the tokens
/// added since the one before; without, all of them.
class ContextWindow {
 public:
  /// One text: 1 to context tokens, else BadInput.
  ContextWindow(LanguageModel model, const std::vector<TokenId>& ids, bool use_cache);

  /// For each text the V logits of the token that follows, float32: [texts, V]. Once after each push or slide.
  torch::Tensor next_logits();
  bool full() const;
  /// From now on the texts are these of those there were, in this order: some may be gone, some be there several times.
  void select(std::span<const std::int64_t> texts);
  /// Adds a token to each text; the window must not be full.
  void push(std::span<const TokenId> ids);
  /// Keeps the newer half. Positions begin at 0 again, so the cache is filled anew.
  void slide();

 private:
  std::int64_t length() const { return static_cast<std::int64_t>(texts_.front().size()); }

  LanguageModel model_;
  std::vector<std::vector<std::int64_t>> texts_;
  std::optional<KvCache> cache_;
};

}  // namespace tinylm
