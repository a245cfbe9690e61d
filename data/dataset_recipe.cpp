#include "data/dataset_recipe.h"

#include <nlohmann/json.hpp>

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "core/checksum.h"
#include "core/errors.h"
#include "core/option_table.h"
#include "core/utf8.h"

namespace tinylm {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kRecipeVersion = 1;  // raised when the same recipe gives other tokens than before

std::int64_t nanoseconds_of(const timespec& time) {
  return std::int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec;
}

/// The time of the last status change is part of it: it cannot be set back, as that of the last write can.
Json describe_files(const std::vector<std::filesystem::path>& files) {
  Json list = Json::array();
  for (const auto& file : files) {
    const std::optional<FileState> state = state_of(file);
    if (!state) throw FileError(file.string() + ": cannot be read: " + std::strerror(errno));
    list.push_back({{"path", utf8::with_replacements(file.string())},
                    {"size_bytes", state->size_bytes},
                    {"changed_ns", state->changed_ns},
                    {"status_changed_ns", state->status_changed_ns}});
  }
  return list;
}

/// The options' effective values; which files are meant stands in the sources.
Json describe_options(TextOptions text, TokenizerOptions tokenizer, const Tokenizer* fixed) {
  text.text.clear();
  text.val.clear();
  OptionTable table;
  text.describe(table);
  if (fixed == nullptr) tokenizer.describe(table);
  return Json::parse(table.to_json());
}

}  // namespace

std::optional<FileState> state_of(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  return FileState{status.st_size, nanoseconds_of(status.st_mtim), nanoseconds_of(status.st_ctim)};
}

std::string DatasetRecipe::to_json() const {
  Json recipe = {{"recipe_version", kRecipeVersion},
                 {"sources", describe_files(files)},
                 {"val_sources", describe_files(val_files)},
                 {"options", describe_options(text, tokenizer, fixed)}};
  if (fixed != nullptr) {
    recipe["fixed_tokenizer"] = to_hex(fixed->fingerprint());
  } else {
    recipe["seed"] = seed;
  }
  return recipe.dump();
}

std::string DatasetRecipe::key() const {
  Checksum checksum;
  checksum.update(to_json());
  for (const auto& file : files) checksum.update(file.native() + '\0');  // JSON holds a UTF-8 form of names
  for (const auto& file : val_files) checksum.update(file.native() + '\0');
  return to_hex(checksum.value());
}

bool DatasetRecipe::any_bytes() const {
  return takes_any_bytes(fixed != nullptr ? fixed->kind() : tokenizer.tokenizer);
}

bool takes_any_bytes(const std::string& tokenizer_kind) {
  return tokenizer_kind == "byte";
}

DatasetRecipe make_recipe(const TextOptions& text, const TokenizerOptions& tokenizer, std::uint64_t seed,
                          const std::filesystem::path& spool_folder, const Tokenizer* fixed) {
  DatasetRecipe recipe;
  recipe.files = list_text_files(text.text, spool_folder);
  if (!text.val.empty()) recipe.val_files = list_text_files({text.val}, spool_folder);
  recipe.text = text;
  recipe.tokenizer = tokenizer;
  recipe.seed = seed;
  recipe.fixed = fixed;
  return recipe;
}

}  // namespace tinylm
