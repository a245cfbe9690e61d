// What the sentencepiece trainer sees of the drawn lines: each different word once, with how often it occurs. No piece
// crosses a space, so counted words teach it what the lines would, in memory that grows with the words of the language
// and not with the text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tokenizer/training_lines.h"

namespace tinylm {

/// A run of characters up to the next space, together with the space before it; tabs border words and belong to none.
struct TrainingWord {
  std::string text;
  std::uint64_t count = 0;
};

/// The trainer needs some 45 bytes for each character of the words.
inline constexpr std::size_t kMostWordCharacters = 10'000'000;

/// Reads `lines` to their end. The words, most frequent first and equally frequent ones by their checksums, so that no
/// alphabet comes first; those beyond `most_characters` code points in all are left out, but each character that needs
/// a piece is there, alone if need be. While counting, the rarest words are dropped whenever more than
/// `most_characters` / 2 different ones have come together (lossy counting: Manku & Motwani, VLDB 2002).
std::vector<TrainingWord> training_words(TrainingLines& lines, std::size_t most_characters = kMostWordCharacters);

}  // namespace tinylm
