#include "core/numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

namespace tinylm {

std::string shortest(double value) {
  std::array<char, 32> buffer;  // the longest shortest form has 24 characters
  char* const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string text(buffer.data(), end);
  const bool whole = text.find_first_not_of("-0123456789") == std::string::npos;
  return whole ? text + ".0" : text;
}

std::optional<double> parse_decimal(std::string_view text) {
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0.0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = result.ec == std::errc() && result.ptr == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

std::string grouped(std::int64_t value) {
  std::string text = std::to_string(value);
  const int first_digit = value < 0 ? 1 : 0;
  for (int place = static_cast<int>(text.size()) - 3; place > first_digit; place -= 3) {
    text.insert(static_cast<std::size_t>(place), ",");
  }
  return text;
}

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / 1000.0;
  std::size_t unit = 0;
  constexpr std::array kUnits = {" kB", " MB", " GB", " TB", " PB", " EB"};
  while (value >= 999.95 && unit + 1 < kUnits.size()) {  // would be printed as 1000.0
    value /= 1000.0;
    ++unit;
  }
  return fixed(value, 1) + kUnits[unit];
}

std::string human_seconds(double seconds) {
  if (!std::isfinite(seconds) || std::abs(seconds) > 1e15) return "?";
  if (seconds < 9.95) return fixed(seconds, 1) + " s";
  const auto whole = std::llround(seconds);
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  const auto minutes = (whole + 30) / 60;
  return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

std::string shell_word(const std::string& text) {
  constexpr const char* kSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:@%=";
  if (!text.empty() && text.find_first_not_of(kSafe) == std::string::npos) return text;
  std::string word = "'";
  for (const char character : text) word += character == '\'' ? std::string("'\\''") : std::string(1, character);
  return word + "'";
}

std::string fixed(double value, int decimals) {
  std::array<char, 400> buffer;  // the largest double has 309 digits before the point
  char* const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed,
                                  std::min(decimals, 60))
                        .ptr;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const bool signed_zero = text.front() == '-' && text.find_first_not_of("-0.") == std::string_view::npos;
  return std::string(text.substr(signed_zero ? 1 : 0));
}

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

}  // namespace tinylm
