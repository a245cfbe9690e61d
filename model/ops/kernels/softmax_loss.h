// Cross entropy of float32 logits with its gradient in the same pass. Pointers and sizes only; ops/loss.h has the
// definition.
#pragma once

#include <cstdint>

namespace tinylm::ops {

/// Logits [rows, V] without gaps and a target in [0, V) for each row, or `ignored`.
struct LossRows {
  std::int64_t rows = 0, V = 0;
  const std::int64_t* targets = nullptr;  // [rows]
  std::int64_t ignored = -1;
};

/// losses[row] = -ln softmax(logits[row])[target], 0 where ignored. Unless gradient_scale is 0 the logits are
/// overwritten by gradient_scale (softmax(logits) - one at the target), zeros where ignored.
void softmax_loss(const LossRows& sizes, float* logits, float gradient_scale, float* losses);

}  // namespace tinylm::ops
