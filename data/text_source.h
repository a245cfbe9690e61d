// Where the text comes from: files, folders, or standard input; checked, cleaned and cut into documents.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tokenizer/text_reader.h"

namespace tinylm {

class OptionTable;
class Problems;

/// What one document is. Each document is encoded as START, tokens, END; with kNone the text is one stream without them.
enum class Documents { kNone, kLine, kBlankLine, kFile };

struct TextOptions {
  std::vector<std::string> text;         // files, folders, or "-" for standard input; empty: the bundled text
  Documents documents = Documents::kNone;
  double val_fraction = 0.1;             // the last part of the tokens is held out; 0: no validation
  std::string val;                       // a file or folder of its own for validation; "": val_fraction counts
  bool keep_crlf = false;                // true: CR LF line ends stay; false: become LF, with a notice
  std::string bad_utf8 = "error";        // "error": refuse with the first bad offset; "replace": U+FFFD

  /// Adds its options to section [text].
  void describe(OptionTable& table);
  void validate(Problems& problems) const;
};

/// The files that `arguments` name, folders opened in name order (regular, non-hidden files, recursively); "-" becomes a spooled copy of
/// standard input under `spool_folder`. Throws FileError for what does not exist, BadInput for an empty folder or no text at all.
std::vector<std::filesystem::path> list_text_files(const std::vector<std::string>& arguments, const std::filesystem::path& spool_folder);

/// A piece of a document, in reading order. With Documents::kNone both flags are false.
struct DocumentPiece {
  std::string text;
  bool begins_document = false;
  bool ends_document = false;
};

/// Reads files piece by piece: strips a byte-order mark, normalises CR LF (unless kept), checks UTF-8 (unless `any_bytes`),
/// cuts into documents. With kLine the newline ends the document and is not part of it, empty lines are no documents; with
/// kBlankLine a run of blank lines separates documents.
class TextFiles : public TextReader {
 public:
  TextFiles(std::vector<std::filesystem::path> files, const TextOptions& options, bool any_bytes);
  ~TextFiles() override;

  /// Throws BadInput naming file and byte offset of the first byte that is no UTF-8, and what to do.
  bool next_piece(DocumentPiece& piece);

  bool next(std::string& piece) override;  // the text alone
  void rewind() override;

  /// Bytes in all files; for progress.
  std::uint64_t total_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tinylm
