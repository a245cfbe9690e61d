#include "inspect/head_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <spdlog/fmt/fmt.h>

#include "core/numbers.h"
#include "inspect/inspection.h"
#include "inspect/padding.h"

namespace tinylm {

namespace {

constexpr double kStandsOut = 0.1;  // above uniform: less is within what an untrained head shows by chance
constexpr std::size_t kLayerWidth = 5;
constexpr std::size_t kHeadWidth = 6;

std::string number(double value) {
  return std::isnan(value) ? "n/a" : fixed(value, 2);
}

}  // namespace

HeadScores previous_token_scores(const torch::Tensor& attention) {
  const std::int64_t T = attention.size(-1);
  HeadScores scores;
  scores.what = "the previous token";
  if (T < 2) {
    scores.values =
        torch::full({attention.size(0), attention.size(1)}, std::numeric_limits<double>::quiet_NaN(), torch::kFloat64);
    scores.uniform = std::numeric_limits<double>::quiet_NaN();
    return scores;
  }
  scores.values = attention.diagonal(-1, -2, -1).to(torch::kFloat64).mean(-1);  // [L, H, T-1] -> [L, H]
  for (std::int64_t q = 1; q < T; ++q) scores.uniform += 1.0 / static_cast<double>((q + 1) * (T - 1));
  return scores;
}

HeadPlace highest(const HeadScores& scores) {
  const auto place = scores.values.flatten().nan_to_num(-1.0).argmax().item<std::int64_t>();
  const std::int64_t H = scores.values.size(1);
  return {place / H, place % H};
}

HeadPlace highest_of_layer(const HeadScores& scores, std::int64_t layer) {
  return {layer, scores.values[layer].nan_to_num(-1.0).argmax().item<std::int64_t>()};
}

std::string sentence(const HeadScores& scores) {
  const auto [layer, head] = highest(scores);
  const double value = scores.values[layer][head].item<double>();
  if (std::isnan(value)) return "The text is too short to say which head looks at " + scores.what + ".";
  const std::string found = number(value) + " (uniform " + number(scores.uniform) + ")";
  const std::string name = head_name(layer, head);
  if (value < scores.uniform + kStandsOut) {
    return "No head looks clearly more at " + scores.what + " than chance: the most, " + name + ", has " + found + ".";
  }
  return name + " (layer " + std::to_string(layer) + ", head " + std::to_string(head) +
         ", counted from 0) looks most at " + scores.what + ": " + found + ".";
}

std::string table(const HeadScores& scores, std::size_t columns) {
  const std::int64_t L = scores.values.size(0);
  const std::int64_t H = scores.values.size(1);
  const std::size_t fitting = columns > kLayerWidth + kHeadWidth ? (columns - kLayerWidth) / kHeadWidth : 1;
  std::string text;
  for (std::int64_t first = 0; first < H; first += static_cast<std::int64_t>(fitting)) {
    const std::int64_t last = std::min(H, first + static_cast<std::int64_t>(fitting));
    text += std::string(kLayerWidth, ' ');
    for (std::int64_t head = first; head < last; ++head) text += fit_right(fmt::format("H{}", head), kHeadWidth);
    text += '\n';
    for (std::int64_t layer = 0; layer < L; ++layer) {
      text += fit_right(fmt::format("L{}", layer), kLayerWidth);
      for (std::int64_t head = first; head < last; ++head) {
        text += fit_right(number(scores.values[layer][head].item<double>()), kHeadWidth);
      }
      text += '\n';
    }
  }
  return text;
}

}  // namespace tinylm
