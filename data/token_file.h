// Token ids in a memory-mapped file: a fixed header, then ids in the narrowest width that holds the vocabulary.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "core/files.h"
#include "tokenizer/tokenizer.h"

namespace tinylm {

/// First 64 bytes of a token file, little-endian.
struct TokenFileHeader {
  char magic[8];                  // "TINYLMTK"
  std::uint32_t version;          // 1
  std::uint32_t width_bytes;      // 1, 2 or 4
  std::uint64_t vocabulary_size;  // every id is below it
  std::uint64_t tokenizer_fingerprint;
  std::uint64_t count;        // number of ids
  std::uint64_t checksum;     // XXH3 of the ids' bytes
  std::uint64_t reserved[2];  // 0
};
static_assert(sizeof(TokenFileHeader) == 64);

/// The narrowest width that holds the ids 0..vocabulary_size-1.
std::uint32_t token_width_bytes(std::int64_t vocabulary_size);

/// Writes ids as they come, with a small buffer; the file appears under its name only when finish() has synced it.
class TokenFileWriter {
 public:
  TokenFileWriter(std::filesystem::path path, std::int64_t vocabulary_size, std::uint64_t tokenizer_fingerprint);
  ~TokenFileWriter();  // without finish(): removes the temporary file
  /// Throws std::out_of_range for an id outside the vocabulary (our own mistake), FileError when the disk is full.
  void append(std::span<const TokenId> ids);
  void finish();
  std::int64_t count() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A mapped token file.
class TokenFile {
 public:
  /// Checks magic, version, width, size against count. Throws FileError ("damaged", naming file and what failed).
  explicit TokenFile(const std::filesystem::path& path);

  /// Checks the checksum and that every id is below the vocabulary (naming id, offset, vocabulary). Reads the whole
  /// file once.
  void verify() const;

  std::int64_t size() const;                     // number of ids
  TokenId operator[](std::int64_t index) const;  // throws std::out_of_range on our own mistakes
  /// Copies ids [first, first + count) into `out`, widened; throws like operator[].
  void copy(std::int64_t first, std::int64_t count, std::int64_t* out) const;
  /// Index of the first `id` at or after `first`; size() when there is none.
  std::int64_t find(TokenId id, std::int64_t first) const;
  const TokenFileHeader& header() const { return header_; }
  void release_pages() const { file_.release_pages(); }
  /// Has the ids [first, first + count) read from the disk meanwhile.
  void will_need(std::int64_t first, std::int64_t count) const;
  const std::filesystem::path& path() const { return file_.path(); }

 private:
  const std::byte* ids() const { return file_.bytes().data() + sizeof(TokenFileHeader); }
  [[noreturn]] void damaged(const std::string& what) const;

  MappedFile file_;
  TokenFileHeader header_{};
};

/// A contiguous part of a token file: the training or the validation split.
struct TokenRange {
  const TokenFile* file = nullptr;
  std::int64_t first = 0;
  std::int64_t count = 0;
};

}  // namespace tinylm
