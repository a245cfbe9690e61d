// From logits to the next token. Decoding settings change what is chosen, not what the model knows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace tinylm {

class OptionTable;
class Problems;

/// Applied in this order: temperature, top_k, top_p (of what top_k left), min_p; the rest is scaled to sum to one.
struct SamplerOptions {
  double temperature = 0.8;  // logits are divided by it; 0: greedy; negative is refused
  std::int64_t top_k = 0;    // only the k likeliest tokens; 0: off; above V: V
  double top_p = 1.0;        // the smallest set of likeliest tokens whose probability reaches p; 1: off
  double min_p = 0.0;        // only tokens at least this fraction as likely as the likeliest; 0: off
  bool greedy = false;       // always the likeliest; ties go to the smallest id
  std::uint64_t seed = 0;    // of the draws

  /// Adds its options to section [sample].
  void describe(OptionTable& table);
  /// Notes what cannot be meant: a negative or not finite temperature, top_k below 0, top_p outside (0, 1], min_p
  /// outside [0, 1].
  void validate(Problems& problems) const;
};

struct Choice {
  TokenId id = 0;
  double log_probability = 0.0;  // natural logarithm under the model itself (temperature 1, nothing cut off)
};

/// Values only; the same arguments always give the same choice.
class Sampler {
 public:
  /// Throws WrongUse when `options` does not validate.
  explicit Sampler(const SamplerOptions& options);

  /// `logits`: V values; ids in `banned` are never chosen. The draw is Philox(seed, kSampling, sample, position).
  /// Throws NotFinite for a NaN or infinite logit, BadInput when every id is banned.
  Choice choose(std::span<const float> logits, std::uint64_t sample, std::uint64_t position,
                std::span<const TokenId> banned = {}) const;

  /// The distribution it draws from, V probabilities that sum to one; zeros where cut off. Greedy: one 1. Throws as
  /// choose(). Sources: top-k, Fan, Lewis & Dauphin 2018; top-p, Holtzman et al. 2020; min-p, Nguyen et al. 2024.
  std::vector<double> probabilities(std::span<const float> logits, std::span<const TokenId> banned = {}) const;

 private:
  SamplerOptions options_;
};

}  // namespace tinylm
