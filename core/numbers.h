// Numbers for files (shortest form that reads back to the same value) and for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tinylm {

/// Shortest decimal form that reads back to the same double (std::to_chars), always with a point or an exponent: "1.0".
std::string shortest(double value);
/// A decimal number, with a "+" before it if need be, "inf" and "nan" too; nothing for anything else, whatever the
/// locale.
std::optional<double> parse_decimal(std::string_view text);
/// Digits in groups of three: 1,234,567.
std::string grouped(std::int64_t value);
/// "3.2 MB", powers of 1000.
std::string human_bytes(std::uint64_t bytes);
/// "42 s", "3 min 20 s", "2 h 5 min".
std::string human_seconds(double seconds);
/// `text` as a shell takes it for one word: as it stands where that is safe, else in single quotes.
std::string shell_word(const std::string& text);
/// Fixed number of decimals, e.g. fixed(1.23456, 3) = "1.235".
std::string fixed(double value, int decimals);

/// The candidate with the smallest edit distance to `word` (Levenshtein, with swapped neighbours as one edit), or ""
/// when none is near enough to be meant.
template <class Candidates>
std::string nearest(std::string_view word, const Candidates& candidates);
int edit_distance(std::string_view a, std::string_view b);
/// "; did you mean 'width'?" for the end of a message, "" when no candidate is near enough.
template <class Candidates>
std::string did_you_mean(std::string_view word, const Candidates& candidates);

template <class Candidates>
std::string nearest(std::string_view word, const Candidates& candidates) {
  std::string best;
  int best_distance = static_cast<int>(word.size()) / 2 + 1;  // half the letters right, at least
  for (const auto& candidate : candidates) {
    const int distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

template <class Candidates>
std::string did_you_mean(std::string_view word, const Candidates& candidates) {
  const std::string meant = nearest(word, candidates);
  return meant.empty() ? "" : "; did you mean '" + meant + "'?";
}

}  // namespace tinylm
