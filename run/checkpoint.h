// A checkpoint: checkpoints/step-N/ with model.safetensors, optimizer.safetensors and state.json. Written and synced as
// step-N.tmp, renamed once; only then do the links `last` and `best` move. A kill at any moment leaves the one before valid.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "run/safetensors.h"

namespace tinylm {

/// Where a run stands; state.json. Losses that do not exist are NaN here and null there.
struct TrainingState {
  std::int64_t step = 0;         // optimizer steps done
  std::int64_t tokens_seen = 0;  // targets trained on
  double elapsed_s = 0.0;        // time spent training, over all sessions
  double best_val_loss_nats = std::numeric_limits<double>::quiet_NaN();
  std::int64_t best_step = 0;
  double last_val_loss_nats = std::numeric_limits<double>::quiet_NaN();
  std::int64_t evaluations_without_gain = 0;  // since the best, for --patience
  bool stopped_early = false;                 // patience ran out: resuming needs more steps or patience
};

struct Checkpoint {
  std::filesystem::path folder;
  TrainingState state;
  std::uint64_t tokenizer_fingerprint = 0;
};

class CheckpointStore {
 public:
  /// `folder` is RUN/checkpoints; leftovers (*.tmp) of a killed save are removed when `clean`.
  explicit CheckpointStore(std::filesystem::path folder, bool clean = false);

  /// Writes step-N and moves `last` (and `best` when `is_best`); then prunes to the newest `keep` checkpoints (0: all), never removing
  /// `last` or `best`. Throws FileError; the previous checkpoint stays valid.
  void save(const NamedTensors& model, const NamedTensors& optimizer, const TrainingState& state,
            std::uint64_t tokenizer_fingerprint, bool is_best, std::int64_t keep);

  /// "last", "best" ("best" falls back to "last" when no evaluation was ever made) or "step-N". Reads state.json and verifies the
  /// checksums of the files it names. Throws FileError: no such checkpoint (listing those there are), or damaged (file and what failed).
  Checkpoint open(const std::string& name, bool with_optimizer) const;
  bool empty() const;
  std::vector<std::int64_t> steps() const;  // ascending

 private:
  std::filesystem::path folder_;
};

}  // namespace tinylm
