// The numbers that a sampler works with. sample/sampling_steps.h has what each does, and in which order.
#pragma once

#include <cstdint>

namespace tinylm {

class OptionTable;
class Problems;

struct SamplerOptions {
  double repetition_penalty = 1.0;   // weakens tokens of prompt and text: positive logits are divided by it; 1: off
  double presence_penalty = 0.0;     // taken off the logit of each token of the text, however often it came; 0: off
  double frequency_penalty = 0.0;    // taken off for each time that the token came in the text; 0: off
  std::int64_t no_repeat_ngram = 0;  // no run of so many tokens comes twice in prompt and text; 0: off
  double temperature = 0.8;          // logits are divided by it; 0: greedy; negative is refused
  std::int64_t top_k = 0;            // only the k likeliest tokens; 0: off; above V: V
  double top_p = 1.0;                // the smallest set of likeliest tokens whose probability reaches p; 1: off
  double min_p = 0.0;                // only tokens at least this fraction as likely as the likeliest; 0: off
  bool greedy = false;               // always the likeliest; ties go to the smallest id
  std::uint64_t seed = 0;            // of the draws

  /// Whether chance plays no part.
  bool always_likeliest() const { return greedy || temperature == 0.0; }
  /// Adds its options to section [sample].
  void describe(OptionTable& table);
  /// Notes what cannot be meant: a repetition_penalty outside [1e-6, 1e6], other penalties outside [-1e6, 1e6], a
  /// temperature that is negative or not finite, top_k or no_repeat_ngram below 0, top_p outside (0, 1], min_p outside
  /// [0, 1].
  void validate(Problems& problems) const;
};

}  // namespace tinylm
