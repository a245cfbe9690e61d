// Everything that a prepared dataset depends on, and the name that follows from it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/text_source.h"
#include "tokenizer/registry.h"

namespace tinylm {

struct DatasetRecipe {
  std::vector<std::filesystem::path> files, val_files;  // val_files: only with a --val text
  TextOptions text;
  TokenizerOptions tokenizer;
  std::uint64_t seed = 0;
  const Tokenizer* fixed = nullptr;  // used instead of making one; outlives the recipe

  /// The sources (path, size, time of change) and the options as JSON, for dataset.json.
  std::string to_json() const;
  /// Checksum of all that, as a folder's name: changes when a file, the list of files or an option changes.
  std::string key() const;
  /// takes_any_bytes() of the tokenizer.
  bool any_bytes() const;
};

/// What tells without reading a file that it was changed.
struct FileState {
  std::int64_t size_bytes = 0, changed_ns = 0, status_changed_ns = 0;
};
/// Nothing, with errno set, where there is no such file.
std::optional<FileState> state_of(const std::filesystem::path& file);

/// Whether bytes that are no UTF-8 are text too: the byte tokenizer takes everything.
bool takes_any_bytes(const std::string& tokenizer_kind);

/// Lists the files of `text`; throws what list_text_files() throws.
DatasetRecipe make_recipe(const TextOptions& text, const TokenizerOptions& tokenizer, std::uint64_t seed,
                          const std::filesystem::path& spool_folder, const Tokenizer* fixed);

}  // namespace tinylm
