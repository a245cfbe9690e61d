// A checkpoint: checkpoints/step-N/ with model.safetensors, optimizer.safetensors and state.json. Written and synced as
// step-N.tmp, renamed once; only then do the links `last` and `best` move. A kill at any moment leaves the one before
// valid.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "run/safetensors.h"
#include "run/training_state.h"

namespace tinylm {

/// What the weights of a checkpoint mean something with.
struct Origin {
  Origin(std::uint64_t tokenizer, std::string model = "{}")
      : tokenizer_fingerprint(tokenizer), model_options(std::move(model)) {}
  std::uint64_t tokenizer_fingerprint;
  std::string model_options;  // JSON: every option of [model], see model_options_json()
};

struct Checkpoint {
  std::filesystem::path folder;
  TrainingState state;
  std::uint64_t tokenizer_fingerprint = 0;
  std::string model_options = "{}";

  std::filesystem::path model_file() const { return folder / "model.safetensors"; }
  std::filesystem::path optimizer_file() const { return folder / "optimizer.safetensors"; }
};

class CheckpointStore {
 public:
  /// `folder` is RUN/checkpoints; it need not exist. With `clean`, for the one process that trains: finishes or removes
  /// what a killed save left, and points `best` where the state of `last` says.
  explicit CheckpointStore(std::filesystem::path folder, bool clean = false);

  /// Writes step-N and moves `last` (and `best` when `is_best`); then prunes to the newest `keep` checkpoints besides
  /// `best` (0: all), never removing `last` or `best`. Throws FileError; the previous checkpoint stays valid.
  void save(const NamedTensors& model, const NamedTensors& optimizer, const TrainingState& state, const Origin& origin,
            bool is_best, std::int64_t keep);

  /// "last", "best" ("best" falls back to "last" when no evaluation was ever made) or "step-N". Reads state.json and
  /// verifies the checksums of the files it names (the optimizer's only `with_optimizer`, for resuming). Throws
  /// FileError: no such checkpoint (listing those there are), damaged (file and what failed), or weights alone where a
  /// resume needs more.
  Checkpoint open(const std::string& name, bool with_optimizer) const;
  /// The newest checkpoint that a training can go on from: `last`, else, with a warning for each damaged one, those
  /// before it. Throws what `last` is refused for when there is none.
  Checkpoint open_newest_whole() const;
  /// Makes `checkpoint` the last one again, and the best one that its state names the best: newer ones, which were
  /// refused, are kept under names ending in ".damaged".
  void go_back_to(const Checkpoint& checkpoint);
  /// Where the last checkpoint stands, by its state.json alone; nothing where there is none, or weights alone. Throws
  /// FileError for a damaged one.
  std::optional<TrainingState> last_state() const;
  bool empty() const { return steps().empty(); }
  std::vector<std::int64_t> steps() const;  // ascending

 private:
  void finish_interrupted_save();
  void prune(std::int64_t keep);
  std::filesystem::path step_folder(std::int64_t step) const;
  std::string named(const std::string& name) const;
  FileError missing(const std::string& name) const;

  std::filesystem::path folder_;
};

}  // namespace tinylm
