#include "inspect/shade.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <spdlog/fmt/fmt.h>

#include "core/numbers.h"

namespace tinylm {

namespace {

constexpr std::string_view kCharacters = " .:-=+*#%@";

using Rgb = std::array<int, 3>;
// Five points of matplotlib's viridis (CC0): even steps of lightness, readable with colour blindness and in grey.
constexpr std::array<Rgb, 5> kViridis = {{{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}};

double shade_of(double weight) {
  return std::sqrt(std::clamp(weight, 0.0, 1.0));
}

Rgb color_of(double shade) {
  const double place = shade * static_cast<double>(kViridis.size() - 1);
  const std::size_t below = std::min(static_cast<std::size_t>(place), kViridis.size() - 2);
  const double part = place - static_cast<double>(below);
  Rgb color{};
  for (std::size_t i = 0; i < color.size(); ++i) {
    color[i] = static_cast<int>(std::lround(kViridis[below][i] * (1.0 - part) + kViridis[below + 1][i] * part));
  }
  return color;
}

/// The nearest step of the 6 x 6 x 6 cube of 256-colour terminals, whose steps are 0, 95, 135, 175, 215, 255.
int cube_step(int value) {
  if (value < 48) return 0;
  return value < 115 ? 1 : (value - 35) / 40;
}

constexpr int kForeground = 38, kBackground = 48;

std::string colored(int ground, Rgb color, ColorDepth depth) {
  const auto [red, green, blue] = color;
  if (depth == ColorDepth::k24Bit) return fmt::format("\x1b[{};2;{};{};{}m", ground, red, green, blue);
  return fmt::format("\x1b[{};5;{}m", ground, 16 + 36 * cube_step(red) + 6 * cube_step(green) + cube_step(blue));
}

std::string background(Rgb color, ColorDepth depth) {
  return colored(kBackground, color, depth);
}

}  // namespace

Color color_of_weight(double weight) {
  if (std::isnan(weight)) return {};
  const auto [red, green, blue] = color_of(shade_of(weight));
  return {red, green, blue};
}

std::string Shader::cell(double weight) const {
  if (std::isnan(weight)) return end_of_cells() + std::string(width_, '?');
  const double shade = shade_of(weight);
  if (depth_ == ColorDepth::kAscii) {
    return std::string(width_, kCharacters[static_cast<std::size_t>(std::lround(shade * (kCharacters.size() - 1)))]);
  }
  return background(color_of(shade), depth_) + std::string(width_, ' ');
}

std::string Shader::halves(std::optional<double> upper, double lower) const {
  if (std::isnan(lower) || (upper && std::isnan(*upper))) return cell(std::nan(""));
  const Rgb low = color_of(shade_of(lower));
  std::string text = upper ? colored(kForeground, color_of(shade_of(*upper)), depth_) + background(low, depth_)
                           : end_of_cells() + colored(kForeground, low, depth_);
  for (std::size_t i = 0; i < width_; ++i) text += upper ? "\u2580" : "\u2584";
  return text;
}

std::string Shader::marked(const std::string& text, double shade) const {
  if (depth_ == ColorDepth::kAscii) return text;
  const Rgb color = color_of(std::clamp(shade, 0.0, 1.0));
  constexpr int kBright = 128;  // of 255: black reads better from here on
  const int lightness = (299 * color[0] + 587 * color[1] + 114 * color[2]) / 1000;  // ITU-R BT.601
  return background(color, depth_) + (lightness < kBright ? "\x1b[97m" : "\x1b[30m") + text + end_of_cells();
}

std::string Shader::end_of_cells() const {
  return depth_ == ColorDepth::kAscii ? "" : "\x1b[0m";
}

std::string Shader::scale() const {
  const Shader single(depth_, 1);
  if (depth_ == ColorDepth::kAscii) return "weight 0 to 1, by its square root: " + std::string(kCharacters.substr(1));
  std::string text = "weight:";
  constexpr int kSteps = 20;
  text += " 0 ";
  for (int step = 0; step <= kSteps; ++step) {
    const double shade = static_cast<double>(step) / kSteps;
    text += single.cell(shade * shade);
    if (step == kSteps / 2) text += end_of_cells() + " 0.25 ";
  }
  return text + end_of_cells() + " 1";
}

}  // namespace tinylm
