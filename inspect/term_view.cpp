#include "inspect/term_view.h"

#include <algorithm>
#include <cmath>

#include <spdlog/fmt/fmt.h>

#include "core/numbers.h"
#include "core/utf8.h"
#include "inspect/heat_map.h"
#include "inspect/padding.h"
#include "inspect/shade.h"

namespace tinylm {
namespace {

constexpr std::size_t kLayerWidth = 5;

std::string score_number(double value) {
  return std::isnan(value) ? "n/a" : fixed(value, 2);
}

/// What the table shows, on two lines.
std::string score_heading(const HeadScores& scores) {
  const double baseline = scores.measured.uniform;
  std::string text = scores.kind->name + ": " + scores.kind->explanation + "\n";
  if (scores.kind->unit == ScoreUnit::kWeight && !std::isnan(baseline))
    text += "chance, attention spread evenly: " + score_number(baseline) + "\n";
  return text;
}

/// Labels and their shades, gathered until a line is full.
class StripLines {
 public:
  StripLines(std::size_t columns, ColorDepth depth) : columns_(columns), depth_(depth), shader_(depth, 1) {}

  /// `shade`: 0 to 1; NaN: none.
  void add(const std::string& label, double shade) {
    const std::string shown = with_width(label);
    const std::size_t width = utf8::display_width(shown);
    if (taken_ > 0 && taken_ + width > columns_) end_line();
    labels_ += std::isnan(shade) ? shown : shader_.marked(shown, shade);
    const std::string mark = std::isnan(shade) ? " " : shader_.cell(shade * shade);  // cells follow the square root
    for (std::size_t i = 0; i < width; ++i) marks_ += mark;
    taken_ += width;
  }
  std::string finish() {
    if (taken_ > 0) end_line();
    return text_;
  }

 private:
  void end_line() {
    text_ += labels_ + "\n";
    if (depth_ == ColorDepth::kAscii) text_ += marks_.substr(0, marks_.find_last_not_of(' ') + 1) + "\n";
    labels_.clear();
    marks_.clear();
    taken_ = 0;
  }

  std::size_t columns_, taken_ = 0;
  ColorDepth depth_;
  Shader shader_;
  std::string text_, labels_, marks_;
};

}  // namespace

std::string score_table(const HeadScores& scores, const HeadSelection& shown, std::size_t columns) {
  const std::size_t width = scores.lowest() < 0.0 ? 7 : 6;
  const std::size_t fitting = columns > kLayerWidth + width ? (columns - kLayerWidth) / width : 1;
  std::string text;
  for (std::size_t first = 0; first < shown.heads.size(); first += fitting) {
    const std::size_t last = std::min(shown.heads.size(), first + fitting);
    text += std::string(kLayerWidth, ' ');
    for (std::size_t i = first; i < last; ++i) text += fit_right(fmt::format("H{}", shown.heads[i]), width);
    text += '\n';
    for (const std::int64_t layer : shown.layers) {
      text += fit_right(fmt::format("L{}", layer), kLayerWidth);
      for (std::size_t i = first; i < last; ++i)
        text += fit_right(score_number(scores.value({layer, shown.heads[i]})), width);
      text += '\n';
    }
  }
  return text;
}

std::string token_strip(const Inspection& text, std::size_t columns, ColorDepth depth) {
  const double blind_nats = std::log(static_cast<double>(text.logits.size(1)));
  StripLines lines(columns, depth);
  for (std::size_t t = 0; t < text.labels.size(); ++t)
    lines.add(text.labels[t], std::clamp(text.losses_nats[t] / blind_nats, 0.0, 1.0));
  return lines.finish();
}

std::string next_tokens_line(const View& view) {
  const torch::Tensor p = torch::softmax(view.text.logits[view.tokens() - 1].to(torch::kFloat64), -1);  // [V]
  const auto [values, ids] = p.topk(std::min<std::int64_t>(5, p.size(0)));
  std::string line = "next:";
  for (std::int64_t rank = 0; rank < values.size(0); ++rank)
    line +=
        fmt::format("  {} {}", with_width(view.token_labels[static_cast<std::size_t>(ids[rank].item<std::int64_t>())]),
                    fixed(values[rank].item<double>(), 3));
  return line + "\n";
}

std::string term_view(const View& view, const HeadPlace& head, std::size_t columns, ColorDepth depth) {
  std::string text = view.finding.sentence + "\n";
  if (view.finding.most_needed) text += view.finding.most_needed->sentence + "\n";
  for (const std::string& note : view.notes) text += "(" + note + ")\n";
  const HeadScores& scores = *find_scores(view.scores, view.finding.score);
  text += "\n" + score_heading(scores) + "\n" + score_table(scores, view.shown, columns) + "\n";
  text += heat_map(view.text, head.layer, head.head, columns, depth);
  if (view.tokens() > 1) {
    text += fmt::format(
        "\nloss of each token, {} nats in the mean; the {} is {} nats or more, no better than a blind guess\n",
        fixed(view.mean_loss_nats(), 2), depth == ColorDepth::kAscii ? "mark @" : "brightest",
        fixed(std::log(static_cast<double>(view.text.logits.size(1))), 2));
    text += token_strip(view.text, columns, depth);
  }
  return text + "\n" + next_tokens_line(view);
}

}  // namespace tinylm
