#include "data/text_encoder.h"

#include <spdlog/fmt/fmt.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/errors.h"
#include "core/utf8.h"
#include "data/reading_progress.h"

namespace tinylm {
namespace {

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

}  // namespace

void encode_text(TextFiles& text, const Tokenizer& tokenizer, TokenFileWriter& writer) {
  text.rewind();
  ReadingProgress progress("encoding", text);
  DocumentPiece piece;
  std::vector<TokenId> ids;
  while (text.next_piece(piece)) {
    progress.update();
    ids.clear();
    if (piece.begins_document) ids.push_back(tokenizer.start_id());
    try {
      tokenizer.encode(piece.text, ids);
    } catch (const BadInput& reason) {
      throw_with_place(piece, text.current_file(), tokenizer, reason);
    }
    if (piece.ends_document) ids.push_back(tokenizer.end_id());
    writer.append(ids);
  }
}

}  // namespace tinylm
