// A token that was chosen, and what the model itself made of its place.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace tinylm {

struct Alternative {
  TokenId id = 0;
  double log_probability = 0.0;
};

/// Natural logarithms under the model itself: temperature 1, nothing cut off, START and banned tokens counted too.
struct Choice {
  TokenId id = 0;
  double log_probability = 0.0;
  double entropy_nats = 0.0;              // of the distribution: 0 when one token is certain, ln V when all are even
  std::vector<Alternative> alternatives;  // the likeliest tokens, the chosen one among them or not; likeliest first
};

/// `logits`: V finite values. Lists `alternatives` of them, at most V.
Choice choice_of(std::span<const float> logits, TokenId id, std::size_t alternatives = 0);

}  // namespace tinylm
