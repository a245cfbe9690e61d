#include "core/text_table.h"

#include <algorithm>

#include "core/utf8.h"

namespace tinylm {
namespace {

constexpr std::size_t kBetweenColumns = 2;

std::vector<std::size_t> widths_of(const std::vector<TableRow>& rows) {
  std::vector<std::size_t> widths(rows.empty() ? 0 : rows.front().size(), 0);
  for (const TableRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], utf8::display_width(row[i]));
  }
  return widths;
}

}  // namespace

std::string text_table(const std::vector<TableRow>& rows, const std::vector<Side>& sides, std::size_t indent) {
  const std::vector<std::size_t> widths = widths_of(rows);
  std::string text;
  for (const TableRow& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - utf8::display_width(row[i]), ' ');
      const Side side = sides[std::min(i, sides.size() - 1)];
      if (i > 0) line.append(kBetweenColumns, ' ');
      line += side == Side::kLeft ? row[i] + space : space + row[i];
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

}  // namespace tinylm
