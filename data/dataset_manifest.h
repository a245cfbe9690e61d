// dataset.json: how the files of a dataset's folder belong together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "tokenizer/tokenizer.h"

namespace tinylm {

inline constexpr const char* kTrainTokensFile = "train.tokens";
inline constexpr const char* kValTokensFile = "val.tokens";
inline constexpr const char* kManifestFile = "dataset.json";

struct DatasetManifest {
  std::uint64_t tokenizer_fingerprint = 0;
  std::int64_t train_tokens = 0;  // the first ones of train.tokens
  std::int64_t val_tokens = 0;    // those after them, or all of val.tokens; 0: no validation
  bool own_val_file = false;      // whether val.tokens exists
  TokenId empty_prompt_id = 0;    // begins a sample without a prompt
  std::string text_checksum;      // XXH3 of the files' bytes one after another; "": made before it was noted
  std::string recipe = "{}";      // JSON; for people, and to see where a dataset came from

  /// Throws FileError when folder/dataset.json is missing or damaged.
  static DatasetManifest read(const std::filesystem::path& folder);
  void write(const std::filesystem::path& folder) const;
};

}  // namespace tinylm
