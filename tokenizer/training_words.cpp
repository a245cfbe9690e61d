#include "tokenizer/training_words.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <unordered_map>

#include "core/checksum.h"
#include "core/utf8.h"

namespace tinylm {
namespace {

struct Hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
using Counts = std::unordered_map<std::string, std::uint64_t, Hash, std::equal_to<>>;

void count_word(std::string_view word, Counts& counts) {
  if (word.empty()) return;
  const auto known = counts.find(word);
  if (known != counts.end()) {
    ++known->second;
  } else {
    counts.emplace(word, 1);
  }
}

void count_words(std::string_view line, Counts& counts) {
  while (!line.empty()) {
    const std::size_t border = std::min(line.find_first_of(" \t", line.front() == ' ' ? 1 : 0), line.size());
    count_word(line.substr(0, border), counts);
    line.remove_prefix(border);
    if (!line.empty() && line.front() == '\t') line.remove_prefix(1);
  }
}

Counts counts_of(TrainingLines& lines, std::size_t most_words) {
  Counts counts;
  std::uint64_t rare = 0;  // words that came no more often have been dropped
  for (std::string line; lines.next(line);) {
    count_words(line, counts);
    while (counts.size() > most_words) {
      ++rare;
      std::erase_if(counts, [rare](const auto& word) { return word.second <= rare; });
    }
  }
  return counts;
}

std::vector<TrainingWord> by_frequency(Counts counts) {
  std::vector<TrainingWord> words;
  words.reserve(counts.size());
  while (!counts.empty()) {
    auto word = counts.extract(counts.begin());
    words.push_back({std::move(word.key()), word.mapped()});
  }
  std::sort(words.begin(), words.end(), [](const TrainingWord& a, const TrainingWord& b) {
    if (a.count != b.count) return a.count > b.count;
    const std::uint64_t of_a = checksum_of(a.text), of_b = checksum_of(b.text);
    return of_a != of_b ? of_a < of_b : a.text < b.text;
  });
  return words;
}

}  // namespace

std::vector<TrainingWord> training_words(TrainingLines& lines, std::size_t most_characters) {
  std::vector<TrainingWord> words = by_frequency(counts_of(lines, most_characters / 2));
  const std::u32string& required = lines.required_characters();
  std::set<char32_t> missing(required.begin(), required.end());
  std::size_t kept = 0;
  for (std::size_t characters = 0; kept < words.size(); ++kept) {
    const std::string& text = words[kept].text;
    std::u32string characters_of_word;
    for (std::size_t offset = 0; offset < text.size();) characters_of_word += utf8::next(text, offset);
    characters += characters_of_word.size();
    if (characters > most_characters) break;
    for (const char32_t character : characters_of_word) missing.erase(character);
  }
  words.resize(kept);
  for (const char32_t character : missing) {
    words.push_back({{}, 1});
    utf8::append(words.back().text, character);
  }
  return words;
}

}  // namespace tinylm
