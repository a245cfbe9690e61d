// Cuts clean text into documents and pieces of bounded size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "data/text_source.h"

namespace tinylm {

/// A piece of a document, in reading order. With Documents::kNone both flags are false.
struct DocumentPiece {
  std::string text;
  bool begins_document = false;
  bool ends_document = false;
  std::int64_t line = 1, column = 1;  // where it begins in its file, both from 1; columns are code points
};

/// kLine: a line end ends the document and is not part of it; empty lines are no documents. kBlankLine: lines of
/// nothing but spaces and tabs separate documents; the line end before them is not part of one, nor is the file's last.
/// kFile: a file that is not empty is a document, as it is. A file's end always ends a document. Pieces end with a line
/// end where one is near, so a line longer than the longest piece is cut, others are not.
class DocumentSplitter {
 public:
  DocumentSplitter(Documents documents, bool keep_crlf, std::size_t longest_piece);

  /// Adds text of the current file, `file_ends` with its last part. Only after next() returned false.
  void add(std::string_view text, bool file_ends);
  /// False when more text is needed.
  bool next(DocumentPiece& piece);

 private:
  /// A line or, when it is too long, a part of one.
  struct Line {
    std::string_view text, end;  // end: its line end, if seen
    bool whole = false;          // ends here, by a line end or the file's
  };

  bool next_stretch(DocumentPiece& piece);
  bool next_line(DocumentPiece& piece);
  bool next_paragraph(DocumentPiece& piece);
  bool finish_file(DocumentPiece& piece);
  std::string_view rest() const { return std::string_view(buffer_).substr(at_); }
  std::optional<Line> peek_line() const;
  void consume(std::string_view text);
  void give(DocumentPiece& piece, bool ends_document);

  Documents documents_;
  bool keep_crlf_;
  std::size_t longest_piece_;

  std::string buffer_;  // text of the current file, given away up to at_
  std::size_t at_ = 0;
  bool file_ends_ = false;
  bool in_document_ = false;  // a piece of it was given, its end was not
  std::int64_t line_ = 1, column_ = 1;

  DocumentPiece open_;        // kBlankLine: lines gathered for the next piece
  std::string line_end_;      // kBlankLine: the line end after open_, part of it only if the document goes on
  bool within_line_ = false;  // kBlankLine: open_ ends in the middle of a long line
};

}  // namespace tinylm
