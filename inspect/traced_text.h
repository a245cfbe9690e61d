// One traced pass of a model over a text, with everything that is worked out from it.
#pragma once

#include "inspect/inspection.h"
#include "inspect/output_weights.h"

namespace tinylm {

/// What the analyses of this room start from. `loaded` outlives it.
struct TracedText {
  TracedText(LoadedModel& model, const std::vector<TokenId>& ids);

  LoadedModel& loaded;
  Trace trace;  // residuals, heads and attention, of one text: B = 1
  Inspection text;
  OutputWeights weights;

  const ModelConfig& config() const { return loaded.model->config(); }
  /// ids[1 .. T-1], the true next tokens: [T-1] int64.
  torch::Tensor targets() const { return ids_tensor(text.ids).slice(0, 1); }
  /// What each head of a layer adds to the residual stream, output bias excluded: [H, T, C] float32.
  torch::Tensor head_outputs(std::int64_t layer) const;
  /// |f(x_k)| (Kobayashi et al. 2020), f(x) = (x W_V + b_V) W_O for that head, x the normed input of the block and the
  /// output bias left out: [L, H, T] float32. A[q,k] times it is the value-weighted map |A[q,k] f(x_k)|.
  torch::Tensor value_norms() const;
};

}  // namespace tinylm
