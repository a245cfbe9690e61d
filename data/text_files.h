// The text of a list of files as one stream of clean pieces, cut into documents. Never holds more than a few pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/document_splitter.h"
#include "data/text_source.h"
#include "tokenizer/text_reader.h"

namespace tinylm {

/// Reads files piece by piece: strips a byte-order mark, normalises CR LF (unless kept), checks UTF-8 (unless
/// `any_bytes`), cuts into documents as DocumentSplitter says. With Documents::kNone the files follow each other as
/// they are. Says at the end of the first pass what was changed.
class TextFiles : public TextReader {
 public:
  /// A file is read `chunk_bytes` at a time; pieces are at most about twice as long.
  TextFiles(std::vector<std::filesystem::path> files, const TextOptions& options, bool any_bytes,
            std::size_t chunk_bytes = std::size_t{1} << 18);
  ~TextFiles() override;

  /// For a pass before the one that counts: what was changed is not said.
  void keep_quiet();
  /// False at the end. Throws BadInput naming file and byte offset of the first byte that is no UTF-8, and what to do;
  /// FileError when a file cannot be read.
  bool next_piece(DocumentPiece& piece);

  bool next(std::string& piece) override;  // the text alone; empty where a long document turns out to have ended before
  bool ends_document() const override;
  void rewind() override;

  /// The file of the piece that came last.
  const std::filesystem::path& current_file() const;
  /// Bytes in all files, and bytes read since the beginning; for progress.
  std::uint64_t total_bytes() const;
  std::uint64_t bytes_read() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tinylm
