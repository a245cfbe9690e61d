// The lines that the sentencepiece trainer sees: a seeded sample of a text that need not fit into memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/philox.h"
#include "tokenizer/text_reader.h"

namespace tinylm {

/// Lines are given to sentencepiece in parts of at most so many bytes: its trainer skips longer ones, and encoding a
/// part keeps its sums short.
inline constexpr std::size_t kLongestLineBytes = 4096;

/// Bytes of the first part of a line without newline: all of it, or up to the last code point border within
/// kLongestLineBytes.
std::size_t line_part_bytes(std::string_view line);

/// The non-empty lines of a text, without newlines, long ones in parts, wherever the reader's pieces end. A document's
/// end ends a line.
class LineReader {
 public:
  /// Rewinds `text`.
  explicit LineReader(TextReader& text) : text_(text) { rewind(); }
  /// `line` stays valid until the next call.
  bool next(std::string_view& line);
  void rewind();

 private:
  bool refill();

  TextReader& text_;
  std::string buffer_, piece_;
  std::size_t begin_ = 0;
};

/// All lines when they fit into `limit_bytes`; else those for which Philox(seed, kTokenizerSample, line number) is
/// below the largest threshold for which they fit. Finding it reads the text once and takes the same memory for any
/// text.
class TrainingLines {
 public:
  struct Count {
    std::uint64_t lines = 0;
    std::uint64_t bytes = 0;
  };

  TrainingLines(TextReader& text, std::uint64_t seed, std::uint64_t limit_bytes);

  /// The next drawn line, in the order of the text. What the trainer reserves is replaced by tabs, which it takes as
  /// borders: NUL, U+2581 (its space), U+2585 (its unknown character) and names of special and byte pieces such as <s>
  /// and <0x41>.
  bool next(std::string& line);

  const Count& all() const { return all_; }
  const Count& drawn() const { return drawn_; }
  /// The different characters of the drawn lines that need a piece each, ascending; tabs and what is reserved need
  /// none.
  const std::u32string& required_characters() const { return required_characters_; }

 private:
  std::uint32_t bucket_of(std::uint64_t line) const;

  LineReader reader_;
  Philox random_;
  std::uint64_t line_ = 0;       // number of the next line
  std::uint32_t threshold_ = 0;  // lines in buckets below are drawn
  Count all_, drawn_;
  std::u32string required_characters_;
};

}  // namespace tinylm
