// Dropout whose mask is a function of (seed, sample, place), so that a resumed run, another thread count or other
// micro-batches drop the same elements. Source: Srivastava et al. 2014; scaled at training time ("inverted").
#pragma once

#include <cstdint>

#include "core/torch.h"
#include "model/ops/kernels/dropout_rows.h"

namespace tinylm::ops {

/// Zeroes each element of x with the plan's probability p and divides the others by 1 - p. Row b (first dimension)
/// draws from Philox(seed, kDropout, first_sample + b, place = site << 40 | element / 4), `site` numbering the places
/// in the network where dropout happens. Gives x itself when p is 0. Differentiable.
torch::Tensor dropout(const torch::Tensor& x, const DropoutPlan& plan, std::int64_t site);

}  // namespace tinylm::ops
