// Weights as products in bfloat16 read them, kept from product to product.
#pragma once

#include <memory>
#include <mutex>

#include "core/torch.h"
#include "model/ops/matmul.h"

namespace tinylm::ops {

/// A copy of `x`, float32 and contiguous, rounded to bfloat16.
torch::Tensor rounded(const torch::Tensor& x);

/// A weight [N, K] rounded to bfloat16, and that in the layouts that oneDNN reads fastest.
class RoundedWeight {
 public:
  explicit RoundedWeight(const torch::Tensor& weight) : numbers_(rounded(weight)) {}

  /// [N, K], contiguous.
  const torch::Tensor& numbers() const { return numbers_; }
  /// As B of `shape`, made at the first call. `use`: one of two kinds of products, each of which has a copy.
  enum class Use { kForward, kInputGradient };
  PackedMatrix packed(const MatmulShape& shape, Use use) const;

 private:
  torch::Tensor numbers_;
  mutable std::mutex mutex_;
  mutable PackedMatrix packed_[2];  // by use; guarded by mutex_
};

/// `weight`, float32 and contiguous, rounded, and kept: as long as the memory of `weight` lives and its version
/// (Tensor::_version()) does not change, what was made before is given again. So whoever writes to a weight behind
/// libtorch's back must raise its version, as the optimizers do. Copies of weights that are gone are freed when the
/// next new one is made. May be called from several threads.
std::shared_ptr<const RoundedWeight> rounded_weight(const torch::Tensor& weight);

}  // namespace tinylm::ops
