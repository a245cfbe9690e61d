#include "data/text_changes.h"

#include <algorithm>
#include <optional>

#include <nlohmann/json.hpp>

#include "core/checksum.h"
#include "data/dataset_recipe.h"

namespace tinylm {
namespace {

using Json = nlohmann::json;

/// The entries of the recipe's files, as DatasetRecipe::to_json() writes them.
std::vector<Json> sources_of(const std::string& recipe) {
  const Json json = Json::parse(recipe, nullptr, /*allow_exceptions=*/false);
  std::vector<Json> sources;
  for (const char* kind : {"sources", "val_sources"})
    if (json.is_object() && json.contains(kind)) sources.insert(sources.end(), json[kind].begin(), json[kind].end());
  return sources;
}

}  // namespace

std::vector<std::filesystem::path> changed_texts(const DatasetManifest& manifest) {
  std::vector<std::filesystem::path> all, touched;
  bool all_of_old_size = true;
  for (const Json& source : sources_of(manifest.recipe)) {
    all.emplace_back(source.value("path", ""));
    const std::optional<FileState> now = state_of(all.back());
    const bool same_size = now && now->size_bytes == source.value("size_bytes", std::int64_t{-1});
    all_of_old_size = all_of_old_size && same_size;
    if (now && (!same_size || now->changed_ns != source.value("changed_ns", std::int64_t{-1})))
      touched.push_back(all.back());
  }
  if (!touched.empty() && all_of_old_size && to_hex(checksum_of_files(all)) == manifest.text_checksum) touched.clear();
  return touched;
}

}  // namespace tinylm
