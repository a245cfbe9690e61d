// Reads files chunk by chunk and cleans them: byte-order marks, line ends, UTF-8. Chunk borders leave no trace in the
// text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "data/text_source.h"

namespace tinylm {

class CleanReader {
 public:
  /// `any_bytes`: UTF-8 is neither checked nor replaced.
  CleanReader(std::vector<std::filesystem::path> files, const TextOptions& options, bool any_bytes,
              std::size_t chunk_bytes);

  /// The next clean part of the current file, ending neither within a code point nor between CR and LF; `file_ends`
  /// with the last part of a file, which may be empty. False after the last file. Throws FileError, and BadInput at
  /// bytes that are no UTF-8 (file, offset within the file, what to do).
  bool next(std::string& text, bool& file_ends);
  void rewind();
  /// Does not say at the end of the first pass what was changed.
  void keep_quiet() { told_ = true; }

  /// The file that the last part came from.
  const std::filesystem::path& current_file() const { return files_[current_]; }
  std::uint64_t total_bytes() const { return total_bytes_; }
  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  /// What was changed or looks odd in a pass over the files.
  struct Notes {
    std::uint64_t crlf = 0, byte_order_marks = 0, replaced_bytes = 0, nul_bytes = 0;
    std::string first_replaced, first_nul;  // file and offset
  };

  bool open_next_file();
  bool read_chunk();
  bool strip_byte_order_mark(bool file_ends);
  std::size_t usable_bytes(bool file_ends) const;
  std::string checked(std::string_view bytes);
  void append_normalised(std::string_view bytes, std::string& text);
  std::string place(std::size_t offset_in_held) const;
  std::string bad_utf8_message(std::size_t offset_in_held) const;
  void tell_notes();

  std::vector<std::filesystem::path> files_;
  bool keep_crlf_, replace_bad_utf8_, any_bytes_;
  std::size_t chunk_bytes_;
  std::uint64_t total_bytes_ = 0;

  std::ifstream stream_;
  std::size_t current_ = 0, opened_ = 0;  // index of the current file; number of files opened so far
  bool in_file_ = false;
  std::string held_;               // read, not yet given
  std::uint64_t held_offset_ = 0;  // where held_ begins in the file
  std::uint64_t bytes_read_ = 0;
  Notes notes_;
  bool told_ = false;
};

}  // namespace tinylm
