#include "inspect/heat_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/errors.h"
#include "core/utf8.h"
#include "inspect/padding.h"
#include "inspect/shade.h"

namespace tinylm {

namespace {

constexpr std::size_t kLeastColumns = 24;
constexpr std::size_t kWidestLabel = 12;
constexpr std::size_t kWidestCell = 4;
constexpr std::size_t kMostSingleRows = 40;  // more queries share lines, two each, where there are colours

/// Where everything stands in a line: index, space, label, space, cells.
struct Layout {
  std::size_t keys = 0;  // T
  std::size_t index_width = 0;
  std::size_t label_width = 0;
  std::size_t cell_width = 1;
  std::size_t keys_a_cell = 1;
  std::size_t room = 0;  // columns for cells
  bool keys_by_label = false;

  std::size_t cells() const { return (keys + keys_a_cell - 1) / keys_a_cell; }
  std::string margin() const { return std::string(index_width + label_width + 2, ' '); }
};

Layout fitted_layout(const std::vector<std::string>& labels, std::size_t columns) {
  Layout layout;
  layout.keys = labels.size();
  std::size_t widest = 1;
  for (const std::string& label : labels) widest = std::max(widest, utf8::display_width(label));
  layout.index_width = std::to_string(layout.keys - 1).size();
  layout.label_width = std::min(widest, kWidestLabel);
  layout.room = std::max(columns, kLeastColumns) - layout.margin().size();
  for (const std::size_t width : {std::clamp<std::size_t>(widest, 2, kWidestCell), std::size_t{2}, std::size_t{1}}) {
    layout.cell_width = width;
    if (layout.keys * width <= layout.room) break;
  }
  layout.keys_a_cell = std::max<std::size_t>(1, (layout.keys + layout.room - 1) / layout.room);
  layout.keys_by_label = layout.keys_a_cell == 1 && widest <= layout.cell_width;
  return layout;
}

std::string label_line(const Layout& layout, const std::vector<std::string>& labels) {
  std::string line = layout.margin();
  for (const std::string& label : labels) line += fit_left(label, layout.cell_width);
  return line;
}

/// The index of a cell's first key above the cell, above every 1st, 2nd, 5th, 10th or 20th so that they stay apart.
std::string index_line(const Layout& layout) {
  constexpr std::array<std::size_t, 5> kSteps = {1, 2, 5, 10, 20};
  const auto* const step = std::find_if(kSteps.begin(), kSteps.end() - 1, [&](std::size_t cells) {
    return cells * layout.cell_width > layout.index_width;
  });
  std::string line;
  for (std::size_t cell = 0; cell < layout.cells(); cell += *step) {
    const std::string index = std::to_string(cell * layout.keys_a_cell);
    if (cell * layout.cell_width + index.size() > layout.room) break;
    line += std::string(cell * layout.cell_width - line.size(), ' ') + index;
  }
  return layout.margin() + line;
}

/// The largest of the weights `row`[first..last]; NaN when one of them is.
double largest(const float* row, std::size_t first, std::size_t last) {
  double result = row[first];
  for (std::size_t key = first + 1; key <= last; ++key) {
    if (std::isnan(row[key]) || row[key] > result) result = row[key];
  }
  return result;
}

/// A row of weights with the keys that its query sees.
struct Row {
  const float* weights;
  std::size_t last;  // key

  /// The weight of the cell that begins with key `first`; nothing where the query does not see it.
  std::optional<double> cell(std::size_t first, std::size_t keys_a_cell) const {
    if (first > last) return std::nullopt;
    return largest(weights, first, std::min(last, first + keys_a_cell - 1));
  }
};

std::string line_start(const Layout& layout, std::size_t query, const std::string& label) {
  return fit_right(std::to_string(query), layout.index_width) + " " + fit_left(label, layout.label_width) + " ";
}

std::string cells_of(const Layout& layout, const Row& row, const Shader& shader) {
  std::string cells;
  for (std::size_t first = 0; first <= row.last; first += layout.keys_a_cell)
    cells += shader.cell(*row.cell(first, layout.keys_a_cell));
  return cells + shader.end_of_cells();
}

/// Of the query after `upper` too, whose keys are those of `upper` or one more.
std::string cells_of_two(const Layout& layout, const Row& upper, const Row& lower, const Shader& shader) {
  std::string cells;
  for (std::size_t first = 0; first <= lower.last; first += layout.keys_a_cell)
    cells += shader.halves(upper.cell(first, layout.keys_a_cell), *lower.cell(first, layout.keys_a_cell));
  return cells + shader.end_of_cells();
}

void append_line(std::string& text, const std::string& line) {
  text.append(line, 0, line.find_last_not_of(' ') + 1);
  text += '\n';
}

void require_in_range(const char* what, std::int64_t value, std::int64_t count, Problems& problems) {
  problems.require(value >= 0 && value < count,
                   std::string(what) + " is " + std::to_string(value) + ", expected 0 to " + std::to_string(count - 1));
}

}  // namespace

std::string heat_map(const Inspection& inspection, std::int64_t layer, std::int64_t head, std::size_t columns,
                     ColorDepth depth) {
  Problems problems;
  require_in_range("layer", layer, inspection.attention.size(0), problems);
  require_in_range("head", head, inspection.attention.size(1), problems);
  problems.throw_if_any();

  const Layout layout = fitted_layout(inspection.labels, columns);
  const Shader shader(depth, layout.cell_width);
  std::string text;
  append_line(text, head_name(layer, head) + ": each row looks at the columns");
  append_line(text, shader.scale());
  if (layout.keys_a_cell > 1) {
    append_line(text, "a cell is the largest of " + std::to_string(layout.keys_a_cell) + " neighbouring keys");
  }
  const std::size_t rows_a_line = depth != ColorDepth::kAscii && layout.keys > kMostSingleRows ? 2 : 1;
  if (rows_a_line == 2) append_line(text, "a line is two rows, the upper one named");
  append_line(text, layout.keys_by_label ? label_line(layout, inspection.labels) : index_line(layout));
  const torch::Tensor weights = inspection.attention[layer][head].contiguous();  // [T, T]
  const auto row = [&](std::size_t query) {
    return Row{weights.data_ptr<float>() + query * layout.keys, inspection.causal ? query : layout.keys - 1};
  };
  for (std::size_t query = 0; query < layout.keys; query += rows_a_line) {
    const bool two = rows_a_line == 2 && query + 1 < layout.keys;
    append_line(text, line_start(layout, query, inspection.labels[query]) +
                          (two ? cells_of_two(layout, row(query), row(query + 1), shader)
                               : cells_of(layout, row(query), shader)));
  }
  return text;
}

}  // namespace tinylm
