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
  return line + fmt::format(" {:.2f} or more, no better than a blind guess\n", most_nats);
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

void write_coloured_text(std::ostream& out, const std::vector<ColouredToken>& text, const Tokenizer& tokenizer,
                         ColorDepth depth) {
  const Shader shader(depth, 1);
  const double most_nats = std::log(static_cast<double>(tokenizer.vocabulary_size()));
  out << scale_line(shader, most_nats);
  for (const ColouredToken& token : text) {
    out << coloured(tokenizer.label(token.id), token.loss_nats / most_nats, shader);
    if (token.id == tokenizer.end_id()) out << '\n';
  }
  out << '\n';
}

std::vector<ColouredToken> coloured_tokens(const ScoredText& text) {
  std::vector<ColouredToken> tokens = {{text.id(0), std::nan("")}};
  for (const double loss_nats : text.losses_nats)
    tokens.push_back({text.id(static_cast<std::int64_t>(tokens.size())), loss_nats});
  return tokens;
}

std::vector<ColouredToken> coloured_tokens(const std::vector<TokenId>& prompt, const Generated& text) {
  std::vector<ColouredToken> tokens;
  for (const TokenId id : prompt) tokens.push_back({id, std::nan("")});
  for (std::size_t n = 0; n < text.ids.size(); ++n) tokens.push_back({text.ids[n], -text.log_probabilities[n]});
  return tokens;
}

}  // namespace tinylm
