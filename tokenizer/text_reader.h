// Text as a stream of pieces, so that nothing here ever holds a whole corpus. The data room implements it over files.
#pragma once

#include <string>

namespace tinylm {

/// A text that can be read more than once, piece by piece. Pieces are valid UTF-8 (any bytes for the byte tokenizer),
/// end at a line end where one is near, and never within a code point. Their concatenation is the text.
class TextReader {
 public:
  virtual ~TextReader() = default;
  /// The next piece, at most a few hundred kilobytes; false at the end.
  virtual bool next(std::string& piece) = 0;
  /// Whether the piece that next() gave last ends a document: what follows does not continue its line.
  virtual bool ends_document() const { return false; }
  /// Back to the beginning.
  virtual void rewind() = 0;
};

}  // namespace tinylm
