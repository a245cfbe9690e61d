// How the logits of the next token become a choice: one small function a step, in the order of one table.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sample/sampler_options.h"
#include "sample/token_rules.h"
#include "tokenizer/tokenizer.h"

namespace tinylm {

/// What stands before the token that is chosen, also where it has left the context.
struct History {
  std::span<const TokenId> ids = {};  // the prompt's tokens, then those of the text
  std::size_t prompt_tokens = 0;      // how many of them are the prompt's

  std::span<const TokenId> text() const { return ids.subspan(prompt_tokens); }
  /// Number of the token that is chosen, in the text, from 0.
  std::size_t position() const { return ids.size() - prompt_tokens; }
};

/// The tokens that may still be chosen, and what each weighs.
struct Candidates {
  std::vector<double> logits;  // [V], also of those that are out
  std::vector<TokenId> ids;    // in no order, each once
};

/// What a step goes by, beside the candidates.
struct StepSettings {
  const SamplerOptions& options;
  const TokenRules& rules;
};

struct SamplingStep {
  const char* name;
  const char* meaning;  // what it does, a line
  const char* source;   // where it comes from; "" where it is common knowledge
  bool of_the_draw;     // shapes chance alone: beam search, which takes no chances, leaves it out
  /// Its setting in words, "" when it is off.
  std::string (*setting)(const StepSettings& settings);
  /// Changes logits or takes tokens out. Not called when it is off, nor without candidates.
  void (*apply)(Candidates& candidates, const StepSettings& settings, const History& history);
};

/// All steps, in the order in which they are applied.
std::span<const SamplingStep> sampling_steps();

/// Whether `a` comes before `b` in the order of likelihood, in which ties go to the smaller id.
inline bool likelier(const Candidates& candidates, TokenId a, TokenId b) {
  return candidates.logits[a] != candidates.logits[b] ? candidates.logits[a] > candidates.logits[b] : a < b;
}

}  // namespace tinylm
