#include "data/dataset_builder.h"

#include <spdlog/spdlog.h>

#include <cmath>
#include <memory>

#include "core/checksum.h"
#include "core/errors.h"
#include "core/files.h"
#include "core/numbers.h"
#include "data/dataset_manifest.h"
#include "data/reading_progress.h"
#include "data/text_encoder.h"
#include "data/token_file.h"

namespace tinylm {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> all_files(const DatasetRecipe& recipe) {
  std::vector<fs::path> files = recipe.files;
  files.insert(files.end(), recipe.val_files.begin(), recipe.val_files.end());
  return files;
}

/// Trained on everything that will be encoded, a --val text too, so that no character of it is unknown.
std::unique_ptr<Tokenizer> tokenizer_of_text(const DatasetRecipe& recipe) {
  TextFiles text(all_files(recipe), recipe.text, recipe.any_bytes());
  text.keep_quiet();  // the encoding says it
  ReaderWithProgress reader("making the tokenizer from", text);
  return make_tokenizer(recipe.tokenizer, recipe.seed, reader);
}

/// An upper bound of the token file's size: no tokenizer gives more tokens than bytes, and START and END come to a
/// document, which takes at least two bytes (a letter and its line end) unless it ends a file.
std::uint64_t most_token_bytes(const TextFiles& text, std::size_t files, const Tokenizer& tokenizer) {
  const std::uint64_t tokens = text.total_bytes() + text.total_bytes() / 2 + 2 * files;
  return sizeof(TokenFileHeader) + tokens * token_width_bytes(tokenizer.vocabulary_size());
}

/// Number of training tokens when the end of the same text is held out.
std::int64_t split_place(const TokenFile& tokens, const TextOptions& text, const Tokenizer& tokenizer) {
  const auto share = static_cast<double>(tokens.size()) * (1 - text.val_fraction);
  const auto place = static_cast<std::int64_t>(std::floor(share));
  if (text.documents == Documents::kNone || place == tokens.size()) return place;
  const std::int64_t next_start = tokens.find(tokenizer.start_id(), place);
  return next_start < tokens.size() ? next_start : place;
}

void choose_split(const DatasetRecipe& recipe, const fs::path& folder, const TokenFile& tokens,
                  const Tokenizer& tokenizer, DatasetManifest& manifest) {
  manifest.own_val_file = !recipe.val_files.empty();
  if (manifest.own_val_file) {
    manifest.train_tokens = tokens.size();
    manifest.val_tokens = TokenFile(folder / kValTokensFile).size();
  } else {
    manifest.train_tokens = split_place(tokens, recipe.text, tokenizer);
    manifest.val_tokens = tokens.size() - manifest.train_tokens;
  }
  if (manifest.val_tokens >= 2) return;
  if (manifest.own_val_file || recipe.text.val_fraction > 0) {
    spdlog::warn("no validation: the held-out text has {} token(s), at least 2 are needed", manifest.val_tokens);
  }
  if (!manifest.own_val_file) manifest.train_tokens = tokens.size();
  manifest.val_tokens = 0;
}

/// START when it was trained, else a newline when the text has one, else what the text begins with.
TokenId empty_prompt_of(const TokenFile& tokens, const TextOptions& text, const Tokenizer& tokenizer) {
  if (text.documents != Documents::kNone) return tokenizer.start_id();
  try {
    const std::vector<TokenId> newline = tokenizer.encode("\n");
    if (newline.size() == 1 && tokens.find(newline[0], 0) < tokens.size()) return newline[0];
  } catch (const BadInput&) {  // a vocabulary without newline
  }
  return tokens[0];
}

}  // namespace

void build_dataset(const DatasetRecipe& recipe, const fs::path& folder) {
  std::unique_ptr<Tokenizer> made;
  if (recipe.fixed == nullptr) made = tokenizer_of_text(recipe);
  const Tokenizer& tokenizer = made ? *made : *recipe.fixed;
  tokenizer.save(folder);
  write_tokens(recipe.files, recipe.text, tokenizer, folder / kTrainTokensFile);
  if (!recipe.val_files.empty()) write_tokens(recipe.val_files, recipe.text, tokenizer, folder / kValTokensFile);

  const TokenFile tokens(folder / kTrainTokensFile);
  DatasetManifest manifest;
  manifest.tokenizer_fingerprint = tokenizer.fingerprint();
  choose_split(recipe, folder, tokens, tokenizer, manifest);
  manifest.empty_prompt_id = empty_prompt_of(tokens, recipe.text, tokenizer);
  manifest.text_checksum = to_hex(checksum_of_files(all_files(recipe)));
  manifest.recipe = recipe.to_json();
  manifest.write(folder);
  spdlog::info("{} tokens for training, {} for validation, vocabulary of {}", grouped(manifest.train_tokens),
               grouped(manifest.val_tokens), grouped(tokenizer.vocabulary_size()));
}

void write_tokens(const std::vector<fs::path>& files, const TextOptions& text, const Tokenizer& tokenizer,
                  const fs::path& target) {
  TextFiles reader(files, text, takes_any_bytes(tokenizer.kind()));
  require_free_disk(target.parent_path(), most_token_bytes(reader, files.size(), tokenizer));
  TokenFileWriter writer(target, tokenizer.vocabulary_size(), tokenizer.fingerprint());
  encode_text(reader, tokenizer, writer);
  if (writer.count() == 0) throw BadInput(files.front().string() + ": there is no text in it, only line ends");
  writer.finish();
}

void require_free_disk(const fs::path& folder, std::uint64_t needed_bytes) {
  const std::uint64_t free_bytes = free_disk_bytes(folder);
  if (free_bytes >= needed_bytes) return;
  throw FileError(folder.string() + ": the disk has " + human_bytes(free_bytes) + " free, the tokens may need " +
                  human_bytes(needed_bytes) + ": free some, or use another folder");
}

}  // namespace tinylm
