#include "data/text_encoder.h"

#include <spdlog/fmt/fmt.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "core/utf8.h"
#include "data/piece_encoder.h"
#include "data/reading_progress.h"

namespace tinylm {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{1} << 21;   // enough for many parts of piece_encoder.cpp
constexpr std::size_t kBatchPieces = std::size_t{1} << 16;  // short ones take more memory than their bytes

bool can_encode(const Tokenizer& tokenizer, std::string_view text) {
  try {
    tokenizer.encode(text);
    return true;
  } catch (const BadInput&) {
    return false;
  }
}

/// Says where in the files the character is that made encode() throw `reason`.
[[noreturn]] void throw_with_place(const DocumentPiece& piece, const std::filesystem::path& file,
                                   const Tokenizer& tokenizer, const BadInput& reason) {
  std::int64_t line = piece.line, column = piece.column;
  for (std::size_t at = 0; at < piece.text.size();) {
    const std::size_t begin = at;
    const auto code_point = static_cast<std::uint32_t>(utf8::next(piece.text, at));
    const std::string_view character = std::string_view(piece.text).substr(begin, at - begin);
    if (!can_encode(tokenizer, character)) {
      throw BadInput(
          fmt::format("{}, line {}, column {}: the {} tokenizer has no token for \"{}\" (U+{:04X}); take it out of the "
                      "text, or train with "
                      "a tokenizer made from this text",
                      file.string(), line, column, tokenizer.kind(), utf8::visible(character), code_point));
    }
    ++column;
    if (character == "\n") {
      ++line;
      column = 1;
    }
  }
  throw BadInput(file.string() + ", from line " + std::to_string(piece.line) + ": " + reason.what());
}

/// Pieces that are encoded together, and the files that they are of.
struct PieceBatch {
  struct File {
    std::size_t first_piece;
    std::filesystem::path path;
  };
  std::vector<DocumentPiece> pieces;
  std::vector<File> files;

  /// Reads the next ones; false when there are none.
  bool read(TextFiles& text) {
    pieces.clear();
    files.clear();
    std::size_t bytes = 0;
    DocumentPiece piece;
    while (bytes < kBatchBytes && pieces.size() < kBatchPieces && text.next_piece(piece)) {
      bytes += piece.text.size();
      pieces.push_back(std::move(piece));
      if (files.empty() || files.back().path != text.current_file())
        files.push_back({pieces.size() - 1, text.current_file()});
    }
    return !pieces.empty();
  }

  const std::filesystem::path& file_of(std::size_t piece) const {
    auto file = files.begin();
    while (file + 1 != files.end() && (file + 1)->first_piece <= piece) ++file;
    return file->path;
  }
};

}  // namespace

void encode_text(TextFiles& text, const Tokenizer& tokenizer, TokenFileWriter& writer) {
  text.rewind();
  ReadingProgress progress("encoding", text);
  PieceBatch batch;
  while (batch.read(text)) {
    progress.update();
    const EncodedPieces encoded = encode_pieces(batch.pieces, tokenizer);
    if (encoded.error) {
      try {
        std::rethrow_exception(encoded.error);
      } catch (const BadInput& reason) {
        throw_with_place(batch.pieces[encoded.failed_piece], batch.file_of(encoded.failed_piece), tokenizer, reason);
      }
    }
    for (const std::vector<TokenId>& ids : encoded.parts) writer.append(ids);
  }
}

}  // namespace tinylm
