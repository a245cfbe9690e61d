// What the page asks beyond continuing a text: the tokens of a text, what may come next, what a head looks at.
#pragma once

#include <cstdint>
#include <string>

#include "serve/prompt.h"
#include "serve/served_model.h"

namespace tinylm {

/// The model's shape and its vocabulary, {"model", "parameters", "layers", "heads", "context", "vocabulary",
/// "tokenizer", "start", "end", "labels", "texts"}: what to call each token, and its own text.
std::string model_json(const ServedModel& model);

struct NextRequest {
  Prompt prompt;
};
/// {"prompt"}. Throws ApiError.
NextRequest read_next(const std::string& body, std::int64_t vocabulary);
/// {"ids", "dropped", "logits"}: the prompt's tokens, at most the context, how many stood before them, and the V logits
/// of the token that follows. null: START, which is never chosen, and what is not finite.
std::string next_json(ServedModel& model, const NextRequest& request);

struct AttentionRequest {
  Prompt prompt;
  std::int64_t layer = 0, head = 0;
};
/// {"prompt", "layer", "head"}, from 0. Throws ApiError for a layer or head that is not there.
AttentionRequest read_attention(const std::string& body, const ModelConfig& config);
/// {"ids", "dropped", "layer", "head", "rows"}: of at most the last 512 tokens, what each gives to itself and to those
/// before it; rows of 1, 2, ... weights with four decimals that sum to one.
std::string attention_json(ServedModel& model, const AttentionRequest& request);

}  // namespace tinylm
