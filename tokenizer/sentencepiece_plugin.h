// The C interface to sentencepiece, which lives in a library of its own: linked into the program it would bring a
// second protobuf that collides with libtorch's. Bytes, ids and sizes cross; no std::string, no exception, no protobuf
// type.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tinylm {
extern "C" {

/// A trained model, owned by the plugin.
struct SentencePieceModel;

/// Why a call failed; ends with a NUL, cut when longer.
struct SentencePieceError {
  char text[1024];
};

/// What the trainer is told.
struct SentencePieceTraining {
  std::int32_t vocab_size;  // pieces at most, special ones and 256 bytes included
  bool bpe;                 // false: unigram
  std::int32_t longest_word_bytes;
  /// Gives the next word (no space but at its beginning) followed by a tab and its count in decimal digits; the bytes
  /// stay valid until the next call. 1: given, 0: no more.
  int (*next_word)(void* source, const char** bytes, std::size_t* size);
  void* source;
};

/// Ids with a meaning of their own.
struct SentencePieceIds {
  std::int32_t count;  // V: ids are 0..count-1
  std::int32_t start, end, newline;
};

/// The functions of the plugin. Those that can fail fill `error` and return null or -1. Models are read-only: calls on
/// one model from several threads are safe.
struct SentencePiecePlugin {
  SentencePieceModel* (*train)(const SentencePieceTraining* training, SentencePieceError* error);
  SentencePieceModel* (*load)(const char* bytes, std::size_t size, SentencePieceError* error);
  void (*release)(SentencePieceModel* model);

  /// The model's file; the bytes live as long as the model.
  const char* (*serialized)(const SentencePieceModel* model, std::size_t* size);
  SentencePieceIds (*ids)(const SentencePieceModel* model);
  /// The text that an id stands for (empty for START and END); the bytes live as long as the model.
  const char* (*text_of)(const SentencePieceModel* model, std::int32_t id, std::size_t* size);
  /// Writes the ids of one line (valid UTF-8, no newline) to `ids`, which has room for `size` of them; returns their
  /// number.
  std::int64_t (*encode)(const SentencePieceModel* model, const char* line, std::size_t size, std::int32_t* ids,
                         SentencePieceError* error);
};

/// The one symbol that the library exports.
const SentencePiecePlugin* tinylm_sentencepiece_plugin();

}  // extern "C"
}  // namespace tinylm
