// Attention maps in 16 bits a weight: a tenth of their size as text, and exact enough to draw and to compare.
#pragma once

#include <cstdint>
#include <string>

#include "core/torch.h"

namespace tinylm {

/// The number that each row sums to.
inline constexpr std::int64_t kPackedOne = 65535;

/// weights [..., T, T], whose rows sum to one -> for each matrix and row q the weights times 65535 as whole numbers,
/// two bytes each, the lower first: of the keys 0 to q (`triangle`) or of all. What rounding down leaves goes to the
/// largest remainders, so that each row sums to exactly 65535; no weight is off by 1 / 65535. A row that is not finite
/// is zeros.
std::string packed_rows(const torch::Tensor& weights, bool triangle);

/// How many bytes that is, for `maps` matrices.
std::int64_t packed_bytes(std::int64_t maps, std::int64_t T, bool triangle);

}  // namespace tinylm
