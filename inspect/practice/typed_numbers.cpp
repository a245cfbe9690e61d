#include "inspect/practice/typed_numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/numbers.h"

namespace tinylm {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Minus infinity is the score of a hidden key.
std::optional<double> parse_score(std::string_view word) {
  const std::optional<double> value = parse_decimal(word);
  return value && !std::isnan(*value) && *value != kInfinity ? value : std::nullopt;
}

std::optional<double> parse_number(std::string_view word) {
  const std::size_t slash = word.find('/');
  if (slash == std::string_view::npos) return parse_score(word);
  const std::optional<double> above = parse_score(word.substr(0, slash));
  const std::optional<double> below = parse_score(word.substr(slash + 1));
  if (!above || !below || !std::isfinite(*above / *below)) return std::nullopt;
  return *above / *below;
}

}  // namespace

std::vector<std::string> words_of(std::string_view line) {
  constexpr std::string_view kSeparators = " \t\r\n\v\f,;[]()";
  std::vector<std::string> words;
  for (std::size_t end = 0; end < line.size();) {
    const std::size_t begin = line.find_first_not_of(kSeparators, end);
    if (begin == std::string_view::npos) break;
    end = std::min(line.find_first_of(kSeparators, begin), line.size());
    words.emplace_back(line.substr(begin, end - begin));
  }
  return words;
}

std::optional<torch::Tensor> parse_numbers(std::string_view line) {
  std::vector<double> numbers;
  for (const std::string& word : words_of(line)) {
    const std::optional<double> number = parse_number(word);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  if (numbers.empty()) return std::nullopt;
  return torch::tensor(numbers, torch::kFloat64);
}

double distance_in_tolerances(const torch::Tensor& answer, const torch::Tensor& value) {
  if (answer.size(0) != value.size(0)) return kInfinity;
  double largest = 0.0;
  for (std::int64_t i = 0; i < value.size(0); ++i) {
    const auto right = value[i].item<double>();
    const double distance = std::abs(answer[i].item<double>() - right) / std::max(0.006, 0.01 * std::abs(right));
    if (std::isnan(distance)) return kInfinity;
    largest = std::max(largest, distance);
  }
  return largest;
}

std::string short_number(double value) {
  if (std::abs(value) >= 1e6) return shortest(value);
  if (std::abs(value) < 0.0005) return "0";
  std::string text = fixed(value, 3);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string short_numbers(const torch::Tensor& values) {
  std::string text;
  for (std::int64_t i = 0; i < values.size(0); ++i) {
    text += (i == 0 ? "" : ", ") + short_number(values[i].item<double>());
  }
  return text;
}

}  // namespace tinylm
