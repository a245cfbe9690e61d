// What `tinylm sample --explain` prints: each step from the logits to the next token.
#pragma once

#include <span>
#include <string>

#include "sample/sampler.h"

namespace tinylm {

/// For people: a line a step with its setting and how many tokens it leaves for the token that follows `history`, then
/// the likeliest tokens with the model's own probability and their chance to be drawn. Throws as the sampler.
std::string steps_text(const Sampler& sampler, std::span<const float> logits, const History& history,
                       const Tokenizer& tokenizer);

}  // namespace tinylm
