#include "data/dataset.h"

#include <spdlog/spdlog.h>

#include <optional>
#include <system_error>

#include "core/checksum.h"
#include "core/errors.h"
#include "core/files.h"
#include "core/numbers.h"
#include "core/signals.h"
#include "data/dataset_builder.h"
#include "data/dataset_manifest.h"
#include "data/dataset_recipe.h"
#include "data/temporary.h"

namespace tinylm {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<TokenFile> open_tokens(const fs::path& path, const Tokenizer& tokenizer, bool verify) {
  auto file = std::make_unique<TokenFile>(path);
  const TokenFileHeader& header = file->header();
  if (header.tokenizer_fingerprint != tokenizer.fingerprint()) {
    throw FileError(path.string() + ": made with another tokenizer: fingerprint " +
                    to_hex(header.tokenizer_fingerprint) + ", expected " + to_hex(tokenizer.fingerprint()));
  }
  if (header.vocabulary_size != static_cast<std::uint64_t>(tokenizer.vocabulary_size())) {
    throw FileError(path.string() + ": damaged token file: a vocabulary of " + std::to_string(header.vocabulary_size) +
                    ", the tokenizer has " + std::to_string(tokenizer.vocabulary_size()));
  }
  if (verify) file->verify();
  return file;
}

TokenRange range_of(const TokenFile& file, std::int64_t first, std::int64_t count) {
  if (first < 0 || count < 0 || first > file.size() - count) {
    throw FileError(file.path().string() + ": damaged dataset: " + std::to_string(file.size()) + " tokens, " +
                    kManifestFile + " expects " + std::to_string(count) + " from token " + std::to_string(first));
  }
  return {&file, first, count};
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw FileError(folder.string() + ": the folder cannot be made: " + error.message());
}

/// A second name for the file, or a copy where the file system cannot give one.
void link_or_copy(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::remove(to, error);
  fs::create_hard_link(from, to, error);
  if (!error) return;
  fs::copy_file(from, to, error);
  if (error) throw FileError(to.string() + ": cannot be copied from " + from.string() + ": " + error.message());
  sync_file(to);
}

/// The dataset in `folder` when it is there and whole.
std::optional<Dataset> open_if_whole(const fs::path& folder) {
  if (!fs::exists(folder)) return std::nullopt;
  try {
    return Dataset::open(folder, /*verify=*/true);
  } catch (const FileError& error) {
    spdlog::warn("the prepared text is made again: {}", error.what());
    return std::nullopt;
  }
}

/// Gives what was built in `built` the name `folder`. Another process may have done the same meanwhile: a whole dataset
/// stays, a damaged one makes room.
Dataset publish(const fs::path& built, const fs::path& folder) {
  sync_folder(built);
  std::error_code error;
  fs::rename(built, folder, error);
  if (error && fs::exists(folder)) {
    if (auto theirs = open_if_whole(folder)) return std::move(*theirs);
    const TemporaryPath damaged(folder);
    fs::rename(folder, damaged.path(), error);
    fs::rename(built, folder, error);
  }
  if (error) throw FileError(folder.string() + ": cannot be put in place: " + error.message());
  sync_folder(fs::absolute(folder).parent_path());
  return Dataset::open(folder, /*verify=*/false);
}

}  // namespace

Dataset Dataset::open(const fs::path& folder, bool verify) {
  const DatasetManifest manifest = DatasetManifest::read(folder);
  Dataset dataset;
  dataset.folder_ = folder;
  dataset.tokenizer_ = load_tokenizer(folder);
  if (dataset.tokenizer_->fingerprint() != manifest.tokenizer_fingerprint) {
    throw FileError(folder.string() + ": its tokenizer is not the one the text was encoded with: fingerprint " +
                    to_hex(dataset.tokenizer_->fingerprint()) + ", expected " + to_hex(manifest.tokenizer_fingerprint));
  }
  dataset.train_file_ = open_tokens(folder / kTrainTokensFile, *dataset.tokenizer_, verify);
  dataset.train_ = range_of(*dataset.train_file_, 0, manifest.train_tokens);
  if (manifest.own_val_file) {
    dataset.val_file_ = open_tokens(folder / kValTokensFile, *dataset.tokenizer_, verify);
    dataset.val_ = range_of(*dataset.val_file_, 0, manifest.val_tokens);
  } else {
    dataset.val_ = range_of(*dataset.train_file_, manifest.train_tokens, manifest.val_tokens);
  }
  dataset.empty_prompt_id_ = manifest.empty_prompt_id;
  if (manifest.empty_prompt_id < 0 || manifest.empty_prompt_id >= dataset.tokenizer_->vocabulary_size()) {
    throw FileError((folder / kManifestFile).string() + ": damaged: empty_prompt_id " +
                    std::to_string(manifest.empty_prompt_id) + " is outside the vocabulary of " +
                    std::to_string(dataset.tokenizer_->vocabulary_size()));
  }
  return dataset;
}

void Dataset::link_into(const fs::path& folder) const {
  make_folder(folder);
  link_or_copy(folder_ / tokenizer_->file_name(), folder / tokenizer_->file_name());
  link_or_copy(folder_ / kTrainTokensFile, folder / kTrainTokensFile);
  if (val_file_) link_or_copy(folder_ / kValTokensFile, folder / kValTokensFile);
  link_or_copy(folder_ / kManifestFile, folder / kManifestFile);
  sync_folder(folder);
}

Dataset prepare_dataset(const TextOptions& text, const TokenizerOptions& tokenizer, std::uint64_t seed,
                        const fs::path& cache_folder, const Tokenizer* fixed) {
  const DatasetRecipe recipe = make_recipe(text, tokenizer, seed, cache_folder, fixed);
  const fs::path folder = cache_folder / recipe.key();
  if (auto existing = open_if_whole(folder)) {
    spdlog::info("using the text as prepared before: {} tokens for training, {} for validation, in {}",
                 grouped(existing->train().count), grouped(existing->val().count), folder.string());
    return std::move(*existing);
  }
  const TemporaryPath built(folder);
  make_folder(built.path());
  remove_abandoned_temporaries(cache_folder);
  catch_stop_signals();  // from here on there is something to take away; reading a pipe ends as usual
  build_dataset(recipe, built.path());
  return publish(built.path(), folder);
}

}  // namespace tinylm
