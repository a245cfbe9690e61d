// The norms of a training step alone.
#pragma once

#include <cstdint>
#include <vector>

#include "model/config.h"
#include "model/ops/kernels/row_norm.h"

namespace tinylm {

/// All 2 L + 1 norms of a model with the gradients of their gains: forward, once more as the backward pass of a fused
/// sublayer does, and backward with the residual. An upper bound of what gains cost.
class NormsOfStep {
 public:
  NormsOfStep(const ModelConfig& config, std::int64_t rows);

  /// Computes all of them once; gives the seconds it took.
  double run_s();

 private:
  std::int64_t count_;
  ops::RowNorm norm_;
  std::vector<float> weight_, dweight_;            // [C]
  std::vector<float> x_, y_, dy_, residual_, dx_;  // [rows, C]
  std::vector<float> means_, scales_;              // [rows]
};

}  // namespace tinylm
