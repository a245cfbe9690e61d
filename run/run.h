// The run folder, which anyone can read: config.toml, data/ (tokenizer and tokens), metrics.jsonl, samples.jsonl,
// sessions.json, report.html, train.log, checkpoints/.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "model/model.h"
#include "run/checkpoint.h"
#include "run/config.h"
#include "tokenizer/tokenizer.h"

namespace tinylm {

/// A folder under which a training leaves everything.
class Run {
 public:
  /// Opens an existing run. Throws FileError when `folder` is none, naming what is missing.
  static Run open(const std::filesystem::path& folder);
  /// The run under `runs` that was trained last: by the time of its last checkpoint, or of its config.toml where no run
  /// has saved one. Throws FileError with what to do when there is none.
  static Run newest(const std::filesystem::path& runs = "runs");
  /// Makes a new run: config.toml, and data/ as `fill_data` fills it. It is put together under a temporary name and
  /// renamed once, so that a kill leaves a run that can be resumed, or none. Throws as require_free(), and FileError
  /// when it cannot be made.
  static Run create(const std::filesystem::path& folder, const std::string& config_toml,
                    const std::function<void(const std::filesystem::path& data_folder)>& fill_data = {});
  /// Throws WrongUse when `folder` exists and is not empty.
  static void require_free(const std::filesystem::path& folder);
  /// The same, and FileError when no folder can be made there: tried, so that a training does not learn it at its end.
  static void require_creatable(const std::filesystem::path& folder);
  /// A name for a new run that does not exist yet: runs/YYYYMMDD-HHMMSS-LABEL (local time).
  static std::filesystem::path fresh_folder(const std::filesystem::path& runs, const std::string& label);

  /// Replaces config.toml, atomically: a resumed run that was told to go on longer.
  void save_config(const std::string& config_toml) const;

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path config_file() const { return folder_ / "config.toml"; }
  std::filesystem::path data_folder() const { return folder_ / "data"; }
  std::filesystem::path metrics_file() const { return folder_ / "metrics.jsonl"; }
  std::filesystem::path samples_file() const { return folder_ / "samples.jsonl"; }
  std::filesystem::path heads_file() const { return folder_ / "heads.jsonl"; }
  std::filesystem::path sessions_file() const { return folder_ / "sessions.json"; }
  std::filesystem::path report_file() const { return folder_ / "report.html"; }
  std::filesystem::path tensorboard_folder() const { return folder_ / "tensorboard"; }
  std::filesystem::path log_file() const { return folder_ / "train.log"; }
  /// `clean`: for the one process that trains; see CheckpointStore.
  CheckpointStore checkpoints(bool clean = false) const { return CheckpointStore(folder_ / "checkpoints", clean); }
  /// Sections [text], [model], [machine] of config.toml; [train] is left to the train room. The vocabulary's size is
  /// not in it: the tokenizer has it. Throws WrongUse when the file does not read or validate.
  RunConfig config() const;

 private:
  explicit Run(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path folder_;
};

/// A trained model ready for use: what sample, inspect and info open.
struct LoadedModel {
  RunConfig config;
  std::unique_ptr<Tokenizer> tokenizer;
  LanguageModel model{nullptr};
  Checkpoint checkpoint;
  TokenId empty_prompt_id = 0;
};

/// Throws FileError when `checkpoint` was trained with another tokenizer than `tokenizer`, which is that of `run`.
void require_same_tokenizer(const Checkpoint& checkpoint, const Tokenizer& tokenizer, const Run& run);

/// Every option of [model] with its value, as a JSON object.
std::string model_options_json(ModelConfig config);

/// Throws FileError when `checkpoint` was trained as another model than `config`, which is that of `run`, naming the
/// options. Dropout is left out: it changes nothing about what the weights mean.
void require_same_model(const Checkpoint& checkpoint, const ModelConfig& config, const Run& run);

/// Opens the checkpoint `name` of a run. Throws FileError when the checkpoint's tokenizer fingerprint is not that of
/// the run's tokenizer, or anything is damaged.
LoadedModel load_model(const Run& run, const std::string& checkpoint_name, Ops ops = Ops::kAuto);

}  // namespace tinylm
