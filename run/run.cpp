#include "run/run.h"

#include <cctype>
#include <ctime>
#include <optional>
#include <system_error>

#include "core/checksum.h"
#include "core/errors.h"
#include "core/files.h"
#include "core/option_table.h"
#include "data/dataset_manifest.h"

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
  std::optional<std::pair<fs::file_time_type, fs::path>> newest;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(runs, missing)) {
    std::error_code no_run;
    const std::pair candidate(fs::last_write_time(entry.path() / "config.toml", no_run), entry.path());
    if (!no_run && (!newest || candidate > *newest)) newest = candidate;
  }
  if (!newest) {
    throw FileError("there is no run under " + runs.string() +
                    "/ yet; make one with tinylm train, or name the folder of a run");
  }
  return Run(newest->second);
}

void Run::require_free(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error) || (fs::is_directory(folder, error) && fs::is_empty(folder, error))) return;
  throw WrongUse(folder.string() +
                 " exists and is not empty; choose another folder with --out, or go on with a run there " +
                 "with --resume " + folder.string());
}

Run Run::create(const fs::path& folder, const std::string& config_toml,
                const std::function<void(const fs::path& data_folder)>& fill_data) {
  require_free(folder);
  const Run unfinished(fs::path(folder.string() + ".tmp"));
  std::error_code error;
  fs::remove_all(unfinished.folder(), error);  // of a creation that was killed
  fs::create_directories(unfinished.folder(), error);
  if (error) throw FileError("cannot make the folder " + folder.string() + ": " + error.message());
  write_atomically(unfinished.config_file(), config_toml);
  if (fill_data) fill_data(unfinished.data_folder());
  sync_folder(unfinished.folder());
  fs::rename(unfinished.folder(), folder, error);
  if (error) throw FileError("cannot make the folder " + folder.string() + ": " + error.message());
  return Run(folder);
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

LoadedModel load_model(const Run& run, const std::string& checkpoint_name, Ops ops) {
  LoadedModel loaded;
  loaded.config = run.config();
  loaded.checkpoint = run.checkpoints().open(checkpoint_name, /*with_optimizer=*/false);
  loaded.tokenizer = load_tokenizer(run.data_folder());
  require_same_tokenizer(loaded.checkpoint, *loaded.tokenizer, run);
  loaded.config.model.vocabulary_size = loaded.tokenizer->vocabulary_size();
  loaded.model = LanguageModel(loaded.config.model, /*seed=*/0, ops);
  load_parameters(*loaded.model, SafetensorsFile(loaded.checkpoint.model_file()));
  loaded.empty_prompt_id = DatasetManifest::read(run.data_folder()).empty_prompt_id;
  return loaded;
}

}  // namespace tinylm
