#include "run/run.h"

#include <cctype>
#include <ctime>
#include <optional>
#include <system_error>
#include <tuple>

#include <nlohmann/json.hpp>

#include "core/checksum.h"
#include "core/errors.h"
#include "core/files.h"
#include "core/numbers.h"
#include "core/option_table.h"
#include "data/dataset_manifest.h"
#include "data/temporary.h"

namespace tinylm {
namespace fs = std::filesystem;

Run Run::open(const fs::path& folder) {
  const std::string hint = "; a run is a folder made by tinylm train, with config.toml and checkpoints/ in it";
  if (!fs::exists(folder)) throw FileError("there is no run " + folder.string() + hint);
  if (!fs::is_directory(folder)) throw FileError(folder.string() + " is a file, not a run" + hint);
  Run run(folder);
  if (!fs::exists(run.config_file())) throw FileError(folder.string() + " is no run: config.toml is missing" + hint);
  return run;
}

Run Run::newest(const fs::path& runs) {
  using Candidate = std::tuple<bool, fs::file_time_type, fs::path>;  // has a checkpoint, when, where
  std::optional<Candidate> newest;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(runs, missing)) {
    std::error_code no_run, no_checkpoint;
    const fs::file_time_type made = fs::last_write_time(entry.path() / "config.toml", no_run);
    if (no_run) continue;
    const fs::file_time_type saved = fs::last_write_time(entry.path() / "checkpoints" / "last", no_checkpoint);
    const Candidate candidate(!no_checkpoint, no_checkpoint ? made : saved, entry.path());
    if (!newest || candidate > *newest) newest = candidate;
  }
  if (!newest) {
    throw FileError("there is no run under " + runs.string() +
                    "/ yet; make one with tinylm train, or name the folder of a run");
  }
  return Run(std::get<fs::path>(*newest));
}

void Run::require_free(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error) || (fs::is_directory(folder, error) && fs::is_empty(folder, error))) return;
  throw WrongUse(folder.string() +
                 " exists and is not empty; choose another folder with --out, or go on with a run there " +
                 "with --resume " + shell_word(folder.string()));
}

void Run::require_creatable(const fs::path& folder) {
  require_free(folder);
  fs::path nearest = fs::absolute(folder).lexically_normal().parent_path();
  std::error_code error;
  while (!fs::exists(nearest, error) && nearest.has_relative_path()) nearest = nearest.parent_path();
  error = std::make_error_code(std::errc::not_a_directory);
  if (fs::is_directory(nearest)) {
    const TemporaryPath probe(nearest / folder.filename());
    fs::create_directory(probe.path(), error);
  }
  if (error)
    throw FileError("cannot make the folder " + folder.string() + ": " + error.message() +
                    "; choose another with --out");
}

Run Run::create(const fs::path& folder, const std::string& config_toml,
                const std::function<void(const fs::path& data_folder)>& fill_data) {
  require_free(folder);
  const TemporaryPath temporary(folder);
  remove_abandoned_temporaries(fs::absolute(folder).parent_path());
  const Run unfinished(temporary.path());
  std::error_code error;
  fs::create_directories(unfinished.folder(), error);
  if (error) throw FileError("cannot make the folder " + folder.string() + ": " + error.message());
  if (fill_data) fill_data(unfinished.data_folder());
  write_atomically(unfinished.config_file(), config_toml);  // last: without it, a folder is no run
  sync_folder(unfinished.folder());
  fs::rename(unfinished.folder(), folder, error);
  if (error) throw FileError("cannot make the folder " + folder.string() + ": " + error.message());
  return Run(folder);
}

void Run::save_config(const std::string& config_toml) const {
  if (read_file(config_file()) != config_toml) write_atomically(config_file(), config_toml);
}

fs::path Run::fresh_folder(const fs::path& runs, const std::string& label) {
  const std::time_t now = std::time(nullptr);
  char stamp[32];
  std::strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S-", std::localtime(&now));
  std::string name = stamp;
  for (const char c : label) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
    name += plain ? c : '-';
  }
  fs::path folder = runs / name;
  for (int i = 2; fs::exists(folder); ++i) folder = runs / (name + "-" + std::to_string(i));
  return folder;
}

RunConfig Run::config() const {
  RunConfig config;
  OptionTable table;
  config.describe(table);
  table.read_toml(config_file(), {"train"});
  Problems problems;
  config.validate(problems);
  problems.throw_if_any();
  return config;
}

void require_same_tokenizer(const Checkpoint& checkpoint, const Tokenizer& tokenizer, const Run& run) {
  if (tokenizer.fingerprint() == checkpoint.tokenizer_fingerprint) return;
  throw FileError("the tokenizer in " + run.data_folder().string() + " (" + to_hex(tokenizer.fingerprint()) +
                  ") is not the one that " + checkpoint.folder.string() + " was trained with (" +
                  to_hex(checkpoint.tokenizer_fingerprint) + "); put the right one back");
}

std::string model_options_json(ModelConfig config) {
  OptionTable table;
  config.describe(table);
  return nlohmann::ordered_json::parse(table.to_json()).at("model").dump();
}

void require_same_model(const Checkpoint& checkpoint, const ModelConfig& config, const Run& run) {
  const auto trained = nlohmann::json::parse(checkpoint.model_options);
  const auto found = nlohmann::json::parse(model_options_json(config));
  std::string differences;
  for (const auto& [key, value] : trained.items()) {
    if (key == "dropout" || key == "initialisation" || found.value(key, nlohmann::json()) == value) continue;
    differences += (differences.empty() ? "" : ", ") + key + " = " + found.value(key, nlohmann::json()).dump() +
                   " (trained: " + value.dump() + ")";
  }
  if (differences.empty()) return;
  throw FileError(run.config_file().string() + " was changed since " + checkpoint.folder.string() +
                  " was trained: " + differences + "; put it back, or train anew with these options");
}

LoadedModel load_model(const Run& run, const std::string& checkpoint_name, Ops ops) {
  LoadedModel loaded;
  loaded.config = run.config();
  loaded.checkpoint = run.checkpoints().open(checkpoint_name, /*with_optimizer=*/false);
  loaded.tokenizer = load_tokenizer(run.data_folder());
  require_same_tokenizer(loaded.checkpoint, *loaded.tokenizer, run);
  require_same_model(loaded.checkpoint, loaded.config.model, run);
  loaded.config.model.vocabulary_size = loaded.tokenizer->vocabulary_size();
  loaded.model = LanguageModel(loaded.config.model, /*seed=*/std::nullopt, ops);
  load_parameters(*loaded.model, SafetensorsFile(loaded.checkpoint.model_file()));
  loaded.empty_prompt_id = DatasetManifest::read(run.data_folder()).empty_prompt_id;
  return loaded;
}

}  // namespace tinylm
