// Weights rounded to bfloat16, kept from product to product.
#pragma once

#include "core/torch.h"

namespace tinylm::ops {

/// A copy of `x`, float32 and contiguous, rounded to bfloat16.
torch::Tensor rounded(const torch::Tensor& x);

/// The same, kept: as long as the memory of `weight` lives and its version (Tensor::_version()) does not change, the
/// copy that was made before is given again. So whoever writes to a weight behind libtorch's back must raise its
/// version, as the optimizers do. May be called from several threads.
torch::Tensor rounded_weight(const torch::Tensor& weight);

}  // namespace tinylm::ops
