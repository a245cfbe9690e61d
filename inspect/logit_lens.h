// The logit lens (nostalgebraist, "interpreting GPT: the logit lens", 2020): what the model would predict if it ended
// after the embedding, or after each block.
#pragma once

#include "inspect/traced_text.h"

namespace tinylm {

inline constexpr std::int64_t kLensTop = 5;

/// Row 0: after the embedding; row l: after l blocks; row L: the model's own output. K = kLensTop, or V if that is
/// less.
struct LogitLens {
  torch::Tensor top;                   // [L+1, T, K] int32: the likeliest next tokens, the likeliest first
  torch::Tensor top_probabilities;     // [L+1, T, K] float32
  torch::Tensor target_probabilities;  // [L+1, T] float32: of the true next token; NaN at the last position
  torch::Tensor entropy_nats;          // [L+1, T] float32: of the whole distribution
};

/// The residual stream after the embedding and after each block through the final norm and the output projection.
LogitLens logit_lens(const TracedText& traced);

/// The logits of row `row`, [T, V]; those of the last row are the model's.
torch::Tensor lens_logits(const TracedText& traced, std::int64_t row);

}  // namespace tinylm
