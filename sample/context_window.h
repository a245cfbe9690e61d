// What the model looks back on while it generates, and how much of that is already in the key/value cache.
#pragma once

#include <optional>
#include <vector>

#include "model/model.h"
#include "tokenizer/tokenizer.h"

namespace tinylm {

/// At most `context` tokens. With a cache, a forward pass sees the tokens added since the one before; without, all of
/// them.
class ContextWindow {
 public:
  /// `ids`: 1 to context tokens, else BadInput.
  ContextWindow(LanguageModel model, std::vector<TokenId> ids, bool use_cache);

  /// The V logits of the token that follows, float32. Once after each push or slide.
  std::vector<float> next_logits();
  bool full() const;
  /// Adds a token; the window must not be full.
  void push(TokenId id) { ids_.push_back(id); }
  /// Keeps the newer half. Positions begin at 0 again, so the cache is filled anew.
  void slide();

 private:
  LanguageModel model_;
  std::vector<TokenId> ids_;
  std::optional<KvCache> cache_;
};

}  // namespace tinylm
