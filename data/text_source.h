// Where the text comes from: files, folders, or standard input; and what one document of it is.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace tinylm {

class OptionTable;
class Problems;

/// What one document is. Each document is encoded as START, tokens, END; with kNone the text is one stream without
/// them.
enum class Documents { kNone, kLine, kBlankLine, kFile };

struct TextOptions {
  std::vector<std::string> text;  // files, folders, or "-" for standard input; empty: the bundled text
  Documents documents = Documents::kNone;
  double val_fraction = 0.1;       // the last part of the tokens is held out; 0: no validation
  std::string val;                 // a file or folder of its own for validation; "": val_fraction counts
  bool keep_crlf = false;          // true: CR LF line ends stay; false: become LF, with a notice
  std::string bad_utf8 = "error";  // "error": refuse with the first bad offset; "replace": U+FFFD

  /// Adds its options to section [text].
  void describe(OptionTable& table);
  void validate(Problems& problems) const;
};

/// The files that `arguments` name, absolute, folders opened in name order (regular, non-hidden files, recursively;
/// what is passed over is counted in a notice). "-" and named pipes become a spooled copy under `spool_folder`; no
/// arguments: the bundled text. Throws FileError for what does not exist or cannot be opened, BadInput for a folder
/// without files or no text at all.
std::vector<std::filesystem::path> list_text_files(const std::vector<std::string>& arguments,
                                                   const std::filesystem::path& spool_folder);

/// Copies `stream` into a file of `spool_folder`, so that it can be read twice, and returns the file. Its name holds
/// the checksum of its content and its time is fixed: equal text gives an equal file. Throws BadInput when nothing
/// comes.
std::filesystem::path spool_stream(std::istream& stream, const std::filesystem::path& spool_folder);

}  // namespace tinylm
