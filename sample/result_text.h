// What `tinylm sample --show-probs` lists.
#pragma once

#include <string>

#include "sample/generator.h"

namespace tinylm {

/// For people: a line a token with its probability, the entropy of its place and, where they were asked for, the
/// likeliest tokens there. All are the model's own.
std::string probabilities_text(const Generated& text, const Tokenizer& tokenizer);

}  // namespace tinylm
