// From options to tokens: makes or loads the tokenizer, encodes the text into token files once, and splits them.
#pragma once

#include <filesystem>
#include <memory>

#include "data/text_source.h"
#include "data/token_file.h"
#include "tokenizer/registry.h"

namespace tinylm {

/// A tokenizer with its encoded text, in one folder: the tokenizer's file, train.tokens, val.tokens (only with a --val
/// text), dataset.json (sources with size and time, options, split).
class Dataset {
 public:
  /// Opens a prepared folder. Throws FileError when something is missing or damaged, or the fingerprints differ.
  /// Verifies token files when `verify`.
  static Dataset open(const std::filesystem::path& folder, bool verify);

  const Tokenizer& tokenizer() const { return *tokenizer_; }
  const TokenRange& train() const { return train_; }
  const TokenRange& val() const { return val_; }  // count 0: no validation
  const std::filesystem::path& folder() const { return folder_; }
  /// The id with which a sample without a prompt begins: START when documents were trained, else a newline, else the
  /// text's first token.
  TokenId empty_prompt_id() const { return empty_prompt_id_; }

  /// Makes the same dataset appear in another folder, by hard links where possible, else copies. Throws FileError.
  void link_into(const std::filesystem::path& folder) const;

 private:
  Dataset() = default;

  std::filesystem::path folder_;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::unique_ptr<TokenFile> train_file_, val_file_;
  TokenRange train_, val_;
  TokenId empty_prompt_id_ = 0;
};

/// Prepares the dataset of `text` and `tokenizer` under `cache_folder`, in a folder named by the checksum of everything
/// it depends on (sources' paths, sizes, times; options; seed); an existing one is checked, reused and said so. `fixed`
/// gives the tokenizer instead of making one (a run that starts from another's weights). Memory does not grow with the
/// text. The split falls on the last val_fraction of the tokens, moved to the next START where documents are used.
/// Throws BadInput for text that cannot be used, FileError for files and disk.
Dataset prepare_dataset(const TextOptions& text, const TokenizerOptions& tokenizer, std::uint64_t seed,
                        const std::filesystem::path& cache_folder, const Tokenizer* fixed = nullptr);

}  // namespace tinylm
