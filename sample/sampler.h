// From logits to the next token. Decoding settings change what is chosen, not what the model knows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sample/sampler_options.h"
#include "sample/sampling_steps.h"
#include "sample/token_rules.h"
#include "tokenizer/tokenizer.h"

namespace tinylm {

/// What a step of sampling_steps() came to for one token.
struct StepTaken {
  const SamplingStep* step = nullptr;
  std::string setting;          // "" when it is off
  std::size_t tokens_left = 0;  // how many may still be chosen after it
};

/// Values only; the same arguments always give the same choice. `logits` are V values, `history` what stands before the
/// token. Every function throws NotFinite for a NaN or infinite logit, BadInput when the steps leave no token.
class Sampler {
 public:
  /// Throws WrongUse when `options` does not validate.
  explicit Sampler(const SamplerOptions& options, TokenRules rules = {});

  /// Never chooses `id`, in addition to what the rules say.
  void ban(TokenId id) { rules_.banned.push_back(id); }

  /// The draw is Philox(seed, kSampling, sample, history.position()).
  TokenId choose(std::span<const float> logits, std::uint64_t sample, const History& history = {}) const;

  /// The distribution it draws from, V probabilities that sum to one; zeros where cut off. Greedy: one 1.
  std::vector<double> probabilities(std::span<const float> logits, const History& history = {}) const;

  /// The same without the steps that are of the draw alone, as natural logarithms; minus infinity where cut off.
  std::vector<double> log_likelihoods(std::span<const float> logits, const History& history = {}) const;

  /// What each step does to these logits, in order.
  std::vector<StepTaken> steps_taken(std::span<const float> logits, const History& history = {}) const;

 private:
  StepSettings settings() const { return {options_, rules_}; }
  /// Applies every step, or those before the draw; tells `steps`, unless null, of each. At least one token is left.
  Candidates candidates(std::span<const float> logits, const History& history, bool draw,
                        std::vector<StepTaken>* steps = nullptr) const;

  SamplerOptions options_;
  TokenRules rules_;
};

}  // namespace tinylm
