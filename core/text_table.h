// Tables of plain text, for the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tinylm {

using TableRow = std::vector<std::string>;  // cells, valid UTF-8

/// On which side of its column a cell stands.
enum class Side { kLeft, kRight };

/// A line a row: columns as wide as their widest cell on a terminal, two spaces apart, after `indent` spaces. No line
/// ends with spaces. `sides` has one for each column, of which the last one holds for all columns after it too. No row
/// is longer than the first.
std::string text_table(const std::vector<TableRow>& rows, const std::vector<Side>& sides, std::size_t indent = 0);

}  // namespace tinylm
