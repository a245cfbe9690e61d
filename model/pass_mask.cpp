#include "model/pass_mask.h"

#include "core/torch.h"

namespace tinylm {

ops::AttentionMask PassMask::get(const Positions& positions, std::int64_t first, std::int64_t T, bool causal,
                                 const torch::TensorOptions& options) {
  if (T == 1 || !causal) return {positions.score_bias(first, T, options), {}};  // nothing is hidden
  const std::lock_guard lock(mutex_);
  const bool kept =
      first_ == first && T_ == T && mask_.bias.dtype() == options.dtype() && mask_.bias.device() == options.device();
  if (!kept) {
    mask_ = ops::attention_mask(T, first + T, /*causal=*/true, positions.score_bias(first, T, options), options);
    first_ = first;
    T_ = T;
  }
  return mask_;
}

}  // namespace tinylm
