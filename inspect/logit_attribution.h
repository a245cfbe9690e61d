// Direct logit attribution (as TransformerLens's logit_attrs): how much each part of the model added to the logit of
// the token that came next, by what it wrote into the residual stream, with the scale of the final norm held fixed.
#pragma once

#include <string>
#include <vector>

#include "inspect/traced_text.h"

namespace tinylm {

/// A part of the model that writes into the residual stream, or the final norm's bias.
struct LogitComponent {
  std::string name;         // "embedding", "position", "L0H1", "L0 output bias", "L0 feed-forward", "final norm bias"
  std::int64_t layer = -1;  // of heads
  std::int64_t head = -1;
};

struct LogitAttribution {
  std::vector<LogitComponent> components;
  torch::Tensor values;  // [components, T] float32: to the logit of ids[t+1] at position t; NaN at the last position
  torch::Tensor logits;  // [T] float32: that logit, which the values of a position sum to; NaN at the last position

  /// Mean over the text of each head's, [L, H] float64; NaN for one token.
  torch::Tensor mean_of_heads(std::int64_t L, std::int64_t H) const;
};

LogitAttribution logit_attribution(const TracedText& traced);

}  // namespace tinylm
