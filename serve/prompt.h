// The field "prompt" of a request: what a text begins from.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "run/run.h"

namespace tinylm {

/// A text, or the ids of its tokens as they stand (nothing is put before them).
using Prompt = std::variant<std::string, std::vector<TokenId>>;

/// One prompt (a string, or a list of token ids below `vocabulary`), or several (a list of either). Throws ApiError for
/// anything else, and for more than 32.
std::vector<Prompt> read_prompts(const nlohmann::json& value, std::int64_t vocabulary);

/// What the model gets to see of a prompt.
struct PromptTokens {
  std::vector<TokenId> ids;  // at most the context: the last ones
  std::int64_t dropped = 0;  // how many stood before them
  std::string text;          // all of it, without START
};

/// As `tinylm sample` reads a prompt (sample/prompt.h), but for Windows line ends, which stay. Throws BadInput for a
/// text that the tokenizer cannot encode.
PromptTokens tokens_of(const Prompt& prompt, const LoadedModel& loaded);

}  // namespace tinylm
