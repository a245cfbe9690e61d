// A worked attention calculation for programs.
#pragma once

#include <string>

#include "inspect/worked_attention.h"

namespace tinylm {

/// One JSON object on one line: d_k, d_v, scale, then matrices as lists of rows: queries, keys, values; and with a row
/// for each query dot_products, scores (scaled, before the mask), allowed (booleans), largest (null where no key is
/// allowed), exponentials, sums, weights, output. Numbers in the shortest form that reads back; what is not finite is
/// null.
std::string to_json(const WorkedAttention& worked);

}  // namespace tinylm
