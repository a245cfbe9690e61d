#include "data/piece_encoder.h"

#include <algorithm>
#include <string_view>

#include "core/parallel.h"

namespace tinylm {
namespace {

// Long enough that starting a part costs nothing, short enough that the threads end at about the same time.
constexpr std::size_t kPartBytes = std::size_t{1} << 15;

/// Text of one piece, whole or cut at line ends.
struct Stretch {
  std::size_t piece;
  std::string_view text;
  bool begins_document, ends_document;
};

/// Neighbours that a thread encodes one after another.
using Part = std::vector<Stretch>;

/// The bytes of `text` up to the line end behind the first kPartBytes, or all.
std::size_t stretch_bytes(std::string_view text) {
  if (text.size() <= kPartBytes) return text.size();
  const std::size_t line_end = text.find('\n', kPartBytes);
  return line_end == std::string_view::npos ? text.size() : line_end + 1;
}

std::vector<Part> cut(std::span<const DocumentPiece> pieces) {
  std::vector<Part> parts;
  std::size_t bytes = kPartBytes;  // of the last part; a full one: the next stretch begins another
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    std::string_view rest = pieces[i].text;
    bool begins = pieces[i].begins_document, ends = false;
    do {
      const std::size_t count = stretch_bytes(rest);
      ends = count == rest.size();
      if (bytes >= kPartBytes) {
        parts.emplace_back();
        bytes = 0;
      }
      parts.back().push_back({i, rest.substr(0, count), begins, ends && pieces[i].ends_document});
      bytes += count;
      rest.remove_prefix(count);
      begins = false;
    } while (!ends);
  }
  return parts;
}

/// Why a part could not be encoded, and at which piece.
struct Failure {
  std::exception_ptr error = {};
  std::size_t piece = 0;
};

Failure encode_part(const Part& part, const Tokenizer& tokenizer, std::vector<TokenId>& ids) {
  for (const Stretch& stretch : part) {
    try {
      if (stretch.begins_document) ids.push_back(tokenizer.start_id());
      tokenizer.encode(stretch.text, ids);
      if (stretch.ends_document) ids.push_back(tokenizer.end_id());
    } catch (...) {
      return {std::current_exception(), stretch.piece};
    }
  }
  return {};
}

}  // namespace

EncodedPieces encode_pieces(std::span<const DocumentPiece> pieces, const Tokenizer& tokenizer) {
  const std::vector<Part> parts = cut(pieces);
  std::vector<Failure> failures(parts.size());
  EncodedPieces encoded;
  encoded.parts.resize(parts.size());
  parallel_items(static_cast<std::int64_t>(parts.size()),
                 [&](std::int64_t i) { failures[i] = encode_part(parts[i], tokenizer, encoded.parts[i]); });
  const auto first =
      std::find_if(failures.begin(), failures.end(), [](const Failure& f) { return f.error != nullptr; });
  if (first != failures.end()) {
    encoded.error = first->error;
    encoded.failed_piece = first->piece;
  }
  return encoded;
}

}  // namespace tinylm
