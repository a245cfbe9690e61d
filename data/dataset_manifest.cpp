#include "data/dataset_manifest.h"

#include <nlohmann/json.hpp>

#include "core/checksum.h"
#include "core/errors.h"
#include "core/files.h"

namespace tinylm {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kManifestVersion = 2;
constexpr const char* kOwnChecksum = "checksum";

}  // namespace

DatasetManifest DatasetManifest::read(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kManifestFile;
  const std::string text = read_file(file);
  try {
    Json json = Json::parse(text);
    if (const int version = json.at("version"); version != kManifestVersion) {
      throw FileError(file.string() + ": format version " + std::to_string(version) + ", this program reads " +
                      std::to_string(kManifestVersion) + ": it was made by another version of tinylm; train anew");
    }
    const Json expected = json.at(kOwnChecksum);
    json.erase(kOwnChecksum);
    if (expected != to_hex(checksum_of(json.dump()))) {
      throw FileError(file.string() + ": damaged: its content does not match its checksum");
    }
    DatasetManifest manifest;
    manifest.tokenizer_fingerprint = from_hex(json.at("tokenizer_fingerprint").get<std::string>());
    manifest.train_tokens = json.at("train_tokens");
    manifest.val_tokens = json.at("val_tokens");
    manifest.own_val_file = json.at("own_val_file");
    manifest.empty_prompt_id = json.at("empty_prompt_id");
    manifest.text_checksum = json.value("text_checksum", "");
    manifest.recipe = json.at("recipe").dump();
    return manifest;
  } catch (const Json::exception& error) {
    throw FileError(file.string() + ": damaged: " + error.what());
  } catch (const BadInput& error) {
    throw FileError(file.string() + ": damaged: " + error.what());
  }
}

void DatasetManifest::write(const std::filesystem::path& folder) const {
  Json json = {{"version", kManifestVersion},  {"tokenizer_fingerprint", to_hex(tokenizer_fingerprint)},
               {"train_tokens", train_tokens}, {"val_tokens", val_tokens},
               {"own_val_file", own_val_file}, {"empty_prompt_id", empty_prompt_id},
               {"recipe", Json::parse(recipe)}};
  if (!text_checksum.empty()) json["text_checksum"] = text_checksum;
  json[kOwnChecksum] = to_hex(checksum_of(json.dump()));
  write_atomically(folder / kManifestFile, json.dump(2) + "\n");
}

}  // namespace tinylm
