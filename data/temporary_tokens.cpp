#include "data/temporary_tokens.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include "core/errors.h"
#include "core/files.h"
#include "core/signals.h"
#include "data/dataset_builder.h"

namespace tinylm {
namespace {

namespace fs = std::filesystem;

/// A text may be a secret, and others can read a system's folder for temporary files.
void make_own_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) fs::permissions(folder, fs::perms::owner_all, error);
  if (error) throw FileError(folder.string() + ": the folder cannot be made: " + error.message());
}

/// Called like the flag that it comes from, by which errors in it are named.
fs::path literal_file(const fs::path& folder, const std::string& literal) {
  const fs::path file = folder / "--text";
  write_atomically(file, literal);
  return file;
}

/// `message` without the folder, which says nothing to people.
std::string without(const std::string& folder, std::string message) {
  const std::size_t place = message.find(folder);
  return place == std::string::npos ? message : message.erase(place, folder.size());
}

}  // namespace

TemporaryTokens::TemporaryTokens(const TextOptions& text, const std::string& literal, const Tokenizer& tokenizer)
    : folder_(fs::temp_directory_path() / "tinylm-text") {
  remove_abandoned_temporaries(folder_.path().parent_path());
  make_own_folder(folder_.path());
  const std::vector<fs::path> files = text.text.empty() ? std::vector{literal_file(folder_.path(), literal)}
                                                        : list_text_files(text.text, folder_.path());
  catch_stop_signals();  // long work, after which the folder has to go; reading a pipe ends as usual
  const fs::path target = folder_.path() / "text.tokens";
  try {
    write_tokens(files, text, tokenizer, target);
  } catch (const BadInput& error) {
    throw BadInput(without(folder_.path().string() + "/", error.what()));
  }
  file_ = std::make_unique<TokenFile>(target);
}

}  // namespace tinylm
