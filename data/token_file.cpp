#include "data/token_file.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/checksum.h"
#include "core/errors.h"
#include "core/numbers.h"
#include "data/temporary.h"

namespace tinylm {
namespace {

static_assert(std::endian::native == std::endian::little, "token files are little-endian and mapped as they are");

constexpr std::string_view kMagic = "TINYLMTK";
constexpr std::uint32_t kFileVersion = 1;
constexpr std::size_t kBufferBytes = std::size_t{1} << 18;
constexpr std::int64_t kBlockIds = std::int64_t{1} << 16;  // read at a time in whole-file passes
constexpr std::int64_t kBlocksHeld = 256;                  // after so many, their pages are released

std::string_view bytes_of_header(const TokenFileHeader& header) {
  return {reinterpret_cast<const char*>(&header), sizeof(header)};
}

template <class Word>
void append_words(std::span<const TokenId> ids, std::string& buffer) {
  std::size_t at = buffer.size();
  buffer.resize(at + ids.size() * sizeof(Word));
  for (const TokenId id : ids) {
    const auto word = static_cast<Word>(id);
    std::memcpy(buffer.data() + at, &word, sizeof(Word));
    at += sizeof(Word);
  }
}

template <class Word>
void widen(const std::byte* ids, std::int64_t first, std::int64_t count, std::int64_t* out) {
  const auto* words = reinterpret_cast<const Word*>(ids) + first;  // aligned: the header is 64 bytes of a page
  std::copy(words, words + count, out);
}

/// Calls visit(index of the first id, ids) on the ids from `first` on, block by block, until it returns false.
template <class Visit>
void visit_blocks(const TokenFile& file, std::int64_t first, const Visit& visit) {
  std::vector<std::int64_t> block(static_cast<std::size_t>(std::min(kBlockIds, file.size() - first)));
  for (std::int64_t at = first, blocks = 1; at < file.size(); at += kBlockIds, ++blocks) {
    const std::int64_t count = std::min(kBlockIds, file.size() - at);
    file.copy(at, count, block.data());
    if (!visit(at, std::span<const std::int64_t>(block.data(), static_cast<std::size_t>(count)))) return;
    if (blocks % kBlocksHeld == 0) file.release_pages();
  }
}

}  // namespace

std::uint32_t token_width_bytes(std::int64_t vocabulary_size) {
  if (vocabulary_size <= 256) return 1;
  return vocabulary_size <= 65536 ? 2 : 4;
}

struct TokenFileWriter::State {
  TemporaryFile file;
  std::filesystem::path path;
  TokenFileHeader header{};
  Checksum checksum;
  std::string buffer;

  explicit State(std::filesystem::path target) : file(target), path(std::move(target)) {}

  void flush() {
    checksum.update(buffer);
    file.write(buffer);
    buffer.clear();
  }
};

TokenFileWriter::TokenFileWriter(std::filesystem::path path, std::int64_t vocabulary_size,
                                 std::uint64_t tokenizer_fingerprint)
    : state_(std::make_unique<State>(std::move(path))) {
  TokenFileHeader& header = state_->header;
  std::copy(kMagic.begin(), kMagic.end(), header.magic);
  header.version = kFileVersion;
  header.width_bytes = token_width_bytes(vocabulary_size);
  header.vocabulary_size = static_cast<std::uint64_t>(vocabulary_size);
  header.tokenizer_fingerprint = tokenizer_fingerprint;
  state_->file.write(bytes_of_header(header));  // keeps the place; finish() knows the rest
}

TokenFileWriter::~TokenFileWriter() = default;

void TokenFileWriter::append(std::span<const TokenId> ids) {
  TokenFileHeader& header = state_->header;
  for (const TokenId id : ids) {
    if (id >= 0 && static_cast<std::uint64_t>(id) < header.vocabulary_size) continue;
    throw std::out_of_range("token id " + std::to_string(id) + " in a vocabulary of " +
                            std::to_string(header.vocabulary_size));
  }
  switch (header.width_bytes) {
    case 1:
      append_words<std::uint8_t>(ids, state_->buffer);
      break;
    case 2:
      append_words<std::uint16_t>(ids, state_->buffer);
      break;
    default:
      append_words<std::uint32_t>(ids, state_->buffer);
      break;
  }
  header.count += ids.size();
  if (state_->buffer.size() >= kBufferBytes) state_->flush();
}

void TokenFileWriter::finish() {
  state_->flush();
  state_->header.checksum = state_->checksum.value();
  state_->file.overwrite_start(bytes_of_header(state_->header));
  state_->file.publish(state_->path);
}

std::int64_t TokenFileWriter::count() const {
  return static_cast<std::int64_t>(state_->header.count);
}

TokenFile::TokenFile(const std::filesystem::path& path) : file_(path) {
  const std::string_view bytes = file_.text();
  if (bytes.size() < sizeof(header_)) {
    damaged(std::to_string(bytes.size()) + " bytes, shorter than the header of " + std::to_string(sizeof(header_)));
  }
  std::memcpy(&header_, bytes.data(), sizeof(header_));
  if (std::string_view(header_.magic, kMagic.size()) != kMagic) {
    damaged("it does not begin with " + std::string(kMagic) + ", as token files do");
  }
  if (header_.version != kFileVersion) {
    damaged("format version " + std::to_string(header_.version) + ", this program reads " +
            std::to_string(kFileVersion));
  }
  constexpr std::uint64_t kMostIds = std::uint64_t{1} << 31;
  if (header_.vocabulary_size == 0 || header_.vocabulary_size > kMostIds) {
    damaged("a vocabulary of " + std::to_string(header_.vocabulary_size));
  }
  const std::uint32_t width = token_width_bytes(static_cast<std::int64_t>(header_.vocabulary_size));
  if (header_.width_bytes != width) {
    damaged("ids of " + std::to_string(header_.width_bytes) + " bytes, expected " + std::to_string(width) +
            " for a vocabulary of " + std::to_string(header_.vocabulary_size));
  }
  const std::uint64_t id_bytes = bytes.size() - sizeof(header_);
  if (id_bytes % width != 0 || id_bytes / width != header_.count) {
    damaged(std::to_string(id_bytes) + " bytes of ids, expected " + std::to_string(header_.count) + " ids of " +
            std::to_string(width) + " bytes");
  }
}

void TokenFile::verify() const {
  const auto vocabulary = static_cast<std::int64_t>(header_.vocabulary_size);
  Checksum checksum;
  visit_blocks(*this, 0, [&](std::int64_t first, std::span<const std::int64_t> block) {
    const auto outside = [vocabulary](std::int64_t id) { return id >= vocabulary; };
    if (const auto bad = std::find_if(block.begin(), block.end(), outside); bad != block.end()) {
      damaged("token id " + std::to_string(*bad) + " at offset " + std::to_string(first + (bad - block.begin())) +
              " is outside the vocabulary of " + std::to_string(vocabulary));
    }
    checksum.update(std::span(ids() + first * header_.width_bytes, block.size() * header_.width_bytes));
    return true;
  });
  if (checksum.value() != header_.checksum) {
    damaged("the checksum of its ids is " + to_hex(checksum.value()) + ", expected " + to_hex(header_.checksum));
  }
}

std::int64_t TokenFile::size() const {
  return static_cast<std::int64_t>(header_.count);
}

TokenId TokenFile::operator[](std::int64_t index) const {
  std::int64_t id = 0;
  copy(index, 1, &id);
  return static_cast<TokenId>(id);
}

void TokenFile::copy(std::int64_t first, std::int64_t count, std::int64_t* out) const {
  if (first < 0 || count < 0 || first > size() - count) {
    throw std::out_of_range("ids " + std::to_string(first) + " to " + std::to_string(first + count) + " of " +
                            std::to_string(size()));
  }
  switch (header_.width_bytes) {
    case 1:
      widen<std::uint8_t>(ids(), first, count, out);
      break;
    case 2:
      widen<std::uint16_t>(ids(), first, count, out);
      break;
    default:
      widen<std::uint32_t>(ids(), first, count, out);
      break;
  }
}

void TokenFile::will_need(std::int64_t first, std::int64_t count) const {
  const std::size_t width = header_.width_bytes;
  file_.will_need(sizeof(TokenFileHeader) + static_cast<std::size_t>(first) * width,
                  static_cast<std::size_t>(count) * width);
}

std::int64_t TokenFile::find(TokenId id, std::int64_t first) const {
  std::int64_t found = size();
  visit_blocks(*this, first, [&](std::int64_t at, std::span<const std::int64_t> block) {
    const auto hit = std::find(block.begin(), block.end(), id);
    if (hit == block.end()) return true;
    found = at + (hit - block.begin());
    return false;
  });
  return found;
}

void TokenFile::damaged(const std::string& what) const {
  throw FileError(path().string() + ": damaged token file: " + what);
}

}  // namespace tinylm
