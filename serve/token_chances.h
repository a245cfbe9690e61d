// How likely tokens were, and what else could have stood there.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "run/run.h"

namespace tinylm {

struct TokenChances {
  TokenId id = 0;
  double log_probability = 0.0;                               // natural logarithm under the model itself
  std::vector<std::pair<TokenId, double>> alternatives = {};  // the likeliest tokens, likeliest first, with theirs
};

/// Of the token `id`, from the V logits where it stands, with the `count` likeliest.
TokenChances chances_of(TokenId id, std::span<const float> logits, std::int64_t count);

/// Of ids[1], ids[2], ...: one forward pass; 1 to context ids.
std::vector<TokenChances> chances_of_text(LoadedModel& loaded, const std::vector<TokenId>& ids, std::int64_t count);

/// The logits of the token after `ids` (1 to context): V values, float32 on the processor.
torch::Tensor next_logits(LoadedModel& loaded, const std::vector<TokenId>& ids);

}  // namespace tinylm
