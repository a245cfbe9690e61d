// Text <-> token ids. A tokenizer is fixed once made: it encodes, decodes, is saved with the run, and has a fingerprint
// that ties token files and checkpoints to it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/text_reader.h"

namespace tinylm {

using TokenId = std::int32_t;

/// decode(encode(x)) == x for every valid UTF-8 text that the vocabulary covers; for the byte tokenizer for every byte
/// string.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// "byte", "char" or "sentencepiece".
  virtual std::string kind() const = 0;
  /// V: ids are 0..V-1, the two special ones included.
  virtual std::int64_t vocabulary_size() const = 0;
  /// Special ids that begin and end a text; encode() never gives them, whatever the text says.
  virtual TokenId start_id() const = 0;
  virtual TokenId end_id() const = 0;

  /// Appends the ids of `text`. Throws BadInput, leaving `ids` as they were, when it is not UTF-8 (offset) or holds a
  /// character outside the vocabulary (the character and its place). Encoding a text and encoding its lines (each with
  /// its newline) one by one give the same ids.
  virtual void encode(std::string_view text, std::vector<TokenId>& ids) const = 0;
  std::vector<TokenId> encode(std::string_view text) const;

  /// The bytes that one id stands for; empty for the special ids. Throws BadInput for an id outside 0..V-1.
  virtual std::string bytes_of(TokenId id) const = 0;
  std::string decode(std::span<const TokenId> ids) const;
  /// bytes_of() for people: START, END, controls and lone bytes visible (utf8::visible).
  std::string label(TokenId id) const;

  /// Everything that defines the tokenizer, as the bytes of its file; equal bytes are equal tokenizers.
  virtual std::string serialize() const = 0;
  /// Name of its file in a run folder, e.g. "tokenizer-char.json"; each kind has its own.
  virtual std::string file_name() const = 0;
  /// Checksum of kind and serialize().
  std::uint64_t fingerprint() const;
  /// Writes serialize() to folder/file_name(), atomically.
  void save(const std::filesystem::path& folder) const;

 protected:
  /// Throws BadInput unless 0 <= id < V.
  void require_id(TokenId id) const;
  /// Throws BadInput naming the first byte that is no UTF-8, its offset, and what to do.
  static void require_utf8(std::string_view text);
};

/// Holds back the bytes of a character until it is whole, so that streamed text is valid at every moment.
class StreamDecoder {
 public:
  explicit StreamDecoder(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
  /// The text that `id` completes; may be empty. Bytes that can never become a character are given as U+FFFD.
  std::string push(TokenId id);
  /// What is left at the end: nothing, or one U+FFFD for an incomplete character.
  std::string finish();

 private:
  const Tokenizer& tokenizer_;
  std::string held_;
};

}  // namespace tinylm
