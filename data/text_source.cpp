#include "data/text_source.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <system_error>

#include "core/checksum.h"
#include "core/errors.h"
#include "core/numbers.h"
#include "core/option_table.h"
#include "core/program_files.h"
#include "data/temporary.h"

namespace tinylm {
namespace {

namespace fs = std::filesystem;

void require_readable(const fs::path& file) {
  if (!std::ifstream(file)) throw FileError(file.string() + ": cannot be opened for reading; check its permissions");
}

std::vector<fs::path> files_of_folder(const fs::path& folder) {
  std::vector<fs::path> files;
  std::int64_t passed_over = 0;
  try {
    for (auto entry = fs::recursive_directory_iterator(folder); entry != fs::recursive_directory_iterator(); ++entry) {
      const bool hidden = entry->path().filename().string().starts_with('.');
      if (hidden) entry.disable_recursion_pending();
      std::error_code dangling;  // a link that leads nowhere, or around in a circle
      const fs::file_status status = entry->status(dangling);
      if (fs::is_directory(status) && !entry->is_symlink() && !hidden) continue;
      if (!hidden && fs::is_regular_file(status)) {
        files.push_back(entry->path());
      } else {
        ++passed_over;
      }
    }
  } catch (const fs::filesystem_error& error) {
    throw FileError(folder.string() + ": the folder cannot be read: " + error.code().message());
  }
  std::sort(files.begin(), files.end());
  const std::string skipped = grouped(passed_over) + " hidden or special entries were passed over";
  if (files.empty()) throw BadInput(folder.string() + ": no text files in this folder (" + skipped + ")");
  if (passed_over > 0) spdlog::info("{}: {}", folder.string(), skipped);
  return files;
}

std::vector<fs::path> files_of_argument(const std::string& argument, const fs::path& spool_folder) {
  if (argument == "-") {
    spdlog::info("reading the text from standard input");
    return {spool_stream(std::cin, spool_folder)};
  }
  const fs::path path = fs::absolute(argument).lexically_normal();
  std::error_code ignored;  // shows in the type
  switch (fs::status(path, ignored).type()) {
    case fs::file_type::regular:
      return {path};
    case fs::file_type::directory:
      return files_of_folder(path);
    case fs::file_type::fifo: {
      std::ifstream stream(path, std::ios::binary);
      return {spool_stream(stream, spool_folder)};
    }
    case fs::file_type::not_found:
      throw FileError(path.string() +
                      ": no such file or folder; name the text's files or folders, or - for standard input");
    default:
      throw FileError(path.string() + ": neither a file, a folder nor a pipe that could be read");
  }
}

}  // namespace

void TextOptions::describe(OptionTable& table) {
  table.add("text", "text", text, "files, folders or - (standard input) to learn from; none: the bundled text")
      .has_flag = false;
  table.add_choice("text", "documents", documents,
                   {{"none", Documents::kNone},
                    {"line", Documents::kLine},
                    {"blank-line", Documents::kBlankLine},
                    {"file", Documents::kFile}},
                   "what one document is, learned with a beginning and an end; none: the text is one stream");
  table.add("text", "val_fraction", val_fraction,
            "the last part of the tokens, held out for validation; 0: no validation");
  table.add("text", "val", val, "a file or folder of its own for validation, instead of --val-fraction");
  table.add("text", "keep_crlf", keep_crlf, "keep CR LF line ends instead of making them LF");
  table.add_choice("text", "bad_utf8", bad_utf8, std::vector<std::string>{"error", "replace"},
                   "bytes that are no UTF-8: an error, or replace them by U+FFFD; the byte tokenizer takes any");
}

void TextOptions::validate(Problems& problems) const {
  problems.require(val_fraction >= 0 && val_fraction < 1,
                   "val_fraction is " + shortest(val_fraction) + ": at least 0 and below 1 is needed");
  problems.require(bad_utf8 == "error" || bad_utf8 == "replace",
                   "bad_utf8 is \"" + bad_utf8 + "\": error or replace is needed");
  const bool empty_name = std::find(text.begin(), text.end(), "") != text.end();
  problems.require(!empty_name, "text holds an empty name: name files, folders, or - for standard input");
  const auto from_stdin = std::count(text.begin(), text.end(), "-") + (val == "-" ? 1 : 0);
  problems.require(from_stdin <= 1, "standard input (-) is named " + std::to_string(from_stdin) +
                                        " times as a text: it can be read once");
}

std::vector<fs::path> list_text_files(const std::vector<std::string>& arguments, const fs::path& spool_folder) {
  if (arguments.empty()) return files_of_folder(shared_file("corpus"));
  std::vector<fs::path> files;
  for (const std::string& argument : arguments) {
    const std::vector<fs::path> more = files_of_argument(argument, spool_folder);
    files.insert(files.end(), more.begin(), more.end());
  }
  std::for_each(files.begin(), files.end(), require_readable);
  const bool no_text = std::all_of(files.begin(), files.end(), [](const fs::path& file) { return fs::is_empty(file); });
  if (no_text)
    throw BadInput(files.front().string() + ": there is no text in it" +
                   (files.size() > 1 ? ", nor in the other files named" : ""));
  return files;
}

fs::path spool_stream(std::istream& stream, const fs::path& spool_folder) {
  TemporaryFile copy(spool_folder / "stdin");
  Checksum checksum;
  std::string chunk(std::size_t{1} << 18, '\0');
  std::uint64_t size = 0;
  while (stream.read(chunk.data(), static_cast<std::streamsize>(chunk.size())), stream.gcount() > 0) {
    const std::string_view bytes(chunk.data(), static_cast<std::size_t>(stream.gcount()));
    checksum.update(bytes);
    copy.write(bytes);
    size += bytes.size();
  }
  if (size == 0) throw BadInput("standard input, or the pipe, gave no text");
  const fs::path file = spool_folder / ("stdin-" + to_hex(checksum.value()) + ".txt");
  if (!fs::exists(file)) copy.publish(file);  // the one there has the same content, and has not changed
  return fs::absolute(file);
}

}  // namespace tinylm
