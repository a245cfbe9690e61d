#include "cli/coloured_text.h"

#include <cmath>
#include <string>
#include <string_view>

#include <spdlog/fmt/fmt.h>

#include "inspect/shade.h"

namespace tinylm {
namespace {

constexpr std::string_view kNewlineMark = "\u23CE";  // utf8::visible()'s

std::string scale_line(const Shader& shader, double most_nats) {
  constexpr int kSteps = 20;
  std::string line = "loss in nats: 0 ";
  for (int step = 0; step <= kSteps; ++step) line += shader.marked(" ", static_cast<double>(step) / kSteps);
  return line + fmt::format(" {:.2f} or more, no better than an even guess\n", most_nats);
}

/// A token's label; where it has a line end, the line ends after its mark, outside the colour.
std::string coloured(std::string_view label, double shade, const Shader& shader) {
  std::string result;
  while (!label.empty()) {
    const std::size_t mark = label.find(kNewlineMark);
    const std::size_t end = mark == std::string_view::npos ? label.size() : mark + kNewlineMark.size();
    const std::string part(label.substr(0, end));
    result += std::isnan(shade) ? part : shader.marked(part, shade);
    if (mark != std::string_view::npos) result += '\n';
    label.remove_prefix(end);
  }
  return result;
}

}  // namespace

void write_coloured_text(std::ostream& out, const ScoredText& text, ColorDepth depth) {
  const Shader shader(depth, 1);
  const double most_nats = std::log(static_cast<double>(text.tokenizer->vocabulary_size()));
  out << scale_line(shader, most_nats);
  const auto write = [&](std::int64_t position, double shade) {
    const TokenId id = text.id(position);
    out << coloured(text.tokenizer->label(id), shade, shader);
    if (id == text.tokenizer->end_id()) out << '\n';
  };
  write(0, std::nan(""));
  std::int64_t position = 0;
  for (const double loss_nats : text.losses_nats) write(++position, loss_nats / most_nats);
  out << '\n';
}

}  // namespace tinylm
