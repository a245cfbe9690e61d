// Makes the files of a dataset: tokenizer, token files, split.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "data/dataset_recipe.h"

namespace tinylm {

/// Makes or copies the tokenizer, encodes the text and chooses the split; leaves tokenizer, train.tokens, val.tokens
/// (only with a
/// --val text) and, last, dataset.json in `folder`, synced. Throws BadInput for unusable text, FileError when the disk
/// is too small.
void build_dataset(const DatasetRecipe& recipe, const std::filesystem::path& folder);

/// Encodes the text of `files`, read as `text` says, into the token file `target`. Throws BadInput for text without a
/// token or that cannot be used, FileError when the disk may be too small.
void write_tokens(const std::vector<std::filesystem::path>& files, const TextOptions& text, const Tokenizer& tokenizer,
                  const std::filesystem::path& target);

/// Throws FileError naming `needed_bytes` and what is free when the disk of `folder` holds less.
void require_free_disk(const std::filesystem::path& folder, std::uint64_t needed_bytes);

}  // namespace tinylm
