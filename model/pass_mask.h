// The mask of a forward pass together with the bias of its positions, kept from one pass to the next of the same shape.
#pragma once

#include <cstdint>
#include <mutex>

#include "core/torch.h"
#include "model/ops/attention.h"
#include "model/positions.h"

namespace tinylm {

class PassMask {
 public:
  /// Mask for T queries at positions first .. first + T - 1 and keys 0 .. first + T - 1: `causal` hides later keys.
  /// Empty where nothing is hidden and positions add nothing. May be called from several threads.
  ops::AttentionMask get(const Positions& positions, std::int64_t first, std::int64_t T, bool causal,
                         const torch::TensorOptions& options);

 private:
  std::mutex mutex_;
  std::int64_t first_ = -1, T_ = -1;
  ops::AttentionMask mask_;
};

}  // namespace tinylm
