// How a training is watched: the progress line, report.html, sessions.json, samples, JSON on stdout, TensorBoard.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/configuration.h"
#include "data/dataset.h"
#include "inspect/report/report_observer.h"
#include "train/sample_observer.h"
#include "train/trainer.h"

namespace tinylm {

/// The flags of `train` that say how to watch. They change nothing about the training, so they are not saved, and a
/// resumed run may be watched in another way.
class WatchFlags {
 public:
  void describe(CLI::App& app);
  /// Throws WrongUse for what cannot be meant.
  void validate(const ModelConfig& model) const;
  bool json() const { return json_; }
  bool tensorboard() const { return tensorboard_; }
  bool track_heads() const { return track_heads_; }
  /// For a run that has done all its steps: with --json, its folder and where it stands.
  void tell_of_nothing_to_do(const Run& run, const TrainingState& state) const;
  SampleTimes sample_times(const ModelConfig& model) const;

 private:
  bool json_ = false;
  bool tensorboard_ = false;
  bool track_heads_ = false;
  std::int64_t sample_every_ = SampleTimes::kAtEvaluations;
};

/// Watches one session of a run.
class TrainingWatch {
 public:
  /// Notes the session in sessions.json and, with --json, prints the run's folder. Throws FileError.
  TrainingWatch(const Run& run, const WatchFlags& flags, const Configuration& configuration, const Dataset& dataset,
                Trainer& trainer);

  /// Trains, and says how that ended everywhere it is watched, whatever ends it. Throws what the trainer throws.
  const TrainingState& run(const std::function<bool()>& stop);

 private:
  /// A sentence that names it.
  std::string last_good_checkpoint() const;
  void end(const std::string& outcome, const std::string& message, int exit_code);

  Run run_;
  Trainer& trainer_;
  bool json_;
  std::vector<Session> sessions_;
  std::shared_ptr<ReportObserver> report_;
};

}  // namespace tinylm
