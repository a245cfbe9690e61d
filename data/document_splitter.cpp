#include "data/document_splitter.h"

#include <algorithm>
#include <utility>

namespace tinylm {
namespace {

std::int64_t code_points(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; });
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

}  // namespace

DocumentSplitter::DocumentSplitter(Documents documents, bool keep_crlf, std::size_t longest_piece)
    : documents_(documents), keep_crlf_(keep_crlf), longest_piece_(longest_piece) {}

void DocumentSplitter::add(std::string_view text, bool file_ends) {
  if (file_ends_) line_ = column_ = 1;  // this is another file
  buffer_.erase(0, at_);
  at_ = 0;
  buffer_.append(text);
  file_ends_ = file_ends;
}

bool DocumentSplitter::next(DocumentPiece& piece) {
  switch (documents_) {
    case Documents::kLine:
      return next_line(piece);
    case Documents::kBlankLine:
      return next_paragraph(piece);
    default:
      return next_stretch(piece);
  }
}

/// kNone and kFile: as much as there is, up to a line end.
bool DocumentSplitter::next_stretch(DocumentPiece& piece) {
  std::string_view text = rest();
  if (text.empty()) return finish_file(piece);
  if (!file_ends_) {
    const std::size_t lines = text.rfind('\n') + 1;  // 0 without a line end
    if (lines == 0 && text.size() < longest_piece_) return false;
    if (lines > 0) text = text.substr(0, lines);
  }
  open_ = {std::string(text), false, false, line_, column_};
  consume(text);
  give(piece, file_ends_);
  return true;
}

bool DocumentSplitter::next_line(DocumentPiece& piece) {
  while (const auto line = peek_line()) {
    open_ = {std::string(line->text), false, false, line_, column_};
    consume(line->text);
    consume(line->end);
    if (open_.text.empty() && !in_document_) continue;
    give(piece, line->whole);
    return true;
  }
  return finish_file(piece);
}

bool DocumentSplitter::next_paragraph(DocumentPiece& piece) {
  while (const auto line = peek_line()) {
    const bool separates = line->whole && !within_line_ && is_blank(line->text);
    if (separates) {
      const bool ends = in_document_ || !open_.text.empty();
      consume(line->text);
      consume(line->end);
      line_end_.clear();
      if (!ends) continue;
      give(piece, true);
      return true;
    }
    open_.text += std::exchange(line_end_, "");
    if (open_.text.size() >= longest_piece_) {  // the document goes on with this line, in the next piece
      give(piece, false);
      return true;
    }
    if (open_.text.empty()) open_ = {"", false, false, line_, column_};
    open_.text += line->text;
    line_end_ = line->end;
    within_line_ = !line->whole;
    consume(line->text);
    consume(line->end);
  }
  return finish_file(piece);
}

/// Ends the document that is open when the file has ended.
bool DocumentSplitter::finish_file(DocumentPiece& piece) {
  if (!file_ends_ || !(in_document_ || !open_.text.empty())) return false;
  line_end_.clear();
  within_line_ = false;
  give(piece, true);
  return true;
}

std::optional<DocumentSplitter::Line> DocumentSplitter::peek_line() const {
  const std::string_view text = rest();
  const std::size_t newline = text.find('\n');
  if (newline == std::string_view::npos) {
    if (text.empty() || (!file_ends_ && text.size() < longest_piece_)) return std::nullopt;
    return Line{text, "", file_ends_};
  }
  const bool crlf = keep_crlf_ && newline > 0 && text[newline - 1] == '\r';
  const std::size_t length = crlf ? newline - 1 : newline;
  return Line{text.substr(0, length), text.substr(length, newline + 1 - length), true};
}

void DocumentSplitter::consume(std::string_view text) {
  at_ += text.size();
  line_ += std::count(text.begin(), text.end(), '\n');
  const std::size_t newline = text.rfind('\n');
  if (newline == std::string_view::npos) {
    column_ += code_points(text);
  } else {
    column_ = 1 + code_points(text.substr(newline + 1));
  }
}

/// Moves open_ into `piece` as the next piece of its document.
void DocumentSplitter::give(DocumentPiece& piece, bool ends_document) {
  piece = std::exchange(open_, {});
  if (documents_ == Documents::kNone) return;
  piece.begins_document = !in_document_;
  piece.ends_document = ends_document;
  in_document_ = !ends_document;
}

}  // namespace tinylm
