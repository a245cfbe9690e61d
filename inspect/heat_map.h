// One head's attention weights as a map for the terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "inspect/inspection.h"
#include "inspect/terminal.h"

namespace tinylm {

/// The map of one head: a line a query with its index and label, a cell a key, shaded by weight; keys that
/// causality hides are left out. Above it: layer and head, the scale, the keys' labels or, where they do not fit,
/// indices. No line is wider than `columns` (at least 48); where the keys do not fit, a cell is the largest weight of
/// several neighbouring keys, so no row loses its maximum, and a line says so. In colours, more than 40 queries stand
/// two on a line, as half blocks. Throws WrongUse when there is no such layer or head.
std::string heat_map(const Inspection& inspection, std::int64_t layer, std::int64_t head, std::size_t columns,
                     ColorDepth depth);

}  // namespace tinylm
