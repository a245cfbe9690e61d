// POST /v1/completions: what can be asked for. The fields and their defaults are OpenAI's; top_k, min_p
// and repetition_penalty are ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sample/generator.h"
#include "serve/options.h"
#include "serve/prompt.h"

namespace tinylm {

/// What a request is held against.
struct CompletionRules {
  std::string model;            // the name of the one that is served
  std::int64_t vocabulary = 0;  // V
  std::int64_t tokens = 4096;   // ServeOptions::request_tokens
  double seconds = 60.0;        // and ::request_seconds
};

struct CompletionRequest {
  std::vector<Prompt> prompts = {std::string()};
  TokenRules rules;                      // logit_bias
  SamplerOptions sampler;                // with a seed of its own where none is given
  GenerateOptions generate;              // max_tokens may be 0: nothing but the prompt, with `echo`
  std::int64_t n = 1;                    // texts for each prompt
  std::optional<std::int64_t> logprobs;  // how many alternatives of each token
  bool echo = false;                     // the text begins with the prompt
  bool stream = false;
  std::optional<std::int64_t> best_of;  // must be n
  bool stream_usage = false;            // counts of tokens in an event of their own
};

/// Throws ApiError (400; 404 for another model) for a body that is no such request, naming the field.
CompletionRequest read_completion(const std::string& body, const CompletionRules& rules);

}  // namespace tinylm
