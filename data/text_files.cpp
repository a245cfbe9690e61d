#include "data/text_files.h"

#include <utility>

#include "data/clean_reader.h"

namespace tinylm {

struct TextFiles::State {
  CleanReader reader;
  DocumentSplitter fresh_splitter, splitter;
  std::string clean;
  DocumentPiece piece;
};

TextFiles::TextFiles(std::vector<std::filesystem::path> files, const TextOptions& options, bool any_bytes,
                     std::size_t chunk_bytes) {
  const DocumentSplitter splitter(options.documents, options.keep_crlf, chunk_bytes);
  state_ = std::make_unique<State>(
      State{CleanReader(std::move(files), options, any_bytes, chunk_bytes), splitter, splitter, {}, {}});
}

TextFiles::~TextFiles() = default;

void TextFiles::keep_quiet() {
  state_->reader.keep_quiet();
}

bool TextFiles::next_piece(DocumentPiece& piece) {
  while (!state_->splitter.next(piece)) {
    bool file_ends = false;
    if (!state_->reader.next(state_->clean, file_ends)) return false;
    state_->splitter.add(state_->clean, file_ends);
  }
  return true;
}

bool TextFiles::next(std::string& piece) {
  if (!next_piece(state_->piece)) return false;
  piece.swap(state_->piece.text);
  return true;
}

bool TextFiles::ends_document() const {
  return state_->piece.ends_document;
}

void TextFiles::rewind() {
  state_->reader.rewind();
  state_->splitter = state_->fresh_splitter;
}

const std::filesystem::path& TextFiles::current_file() const {
  return state_->reader.current_file();
}
std::uint64_t TextFiles::total_bytes() const {
  return state_->reader.total_bytes();
}
std::uint64_t TextFiles::bytes_read() const {
  return state_->reader.bytes_read();
}

}  // namespace tinylm
