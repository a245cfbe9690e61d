#include "train/checkpoint_observer.h"

#include <utility>

#include "train/finite.h"

namespace tinylm {

CheckpointObserver::CheckpointObserver(CheckpointStore store, LanguageModel model, const Optimizer& optimizer,
                                       const TrainOptions& options, Origin origin)
    : store_(std::move(store)),
      model_(std::move(model)),
      optimizer_(optimizer),
      options_(options),
      origin_(std::move(origin)) {}

bool CheckpointObserver::due(const StepReport& report) const {
  if (report.ends || report.is_best) return true;
  if (options_.minutes > 0.0 && report.evaluated) return true;  // the pace chosen there must not be lost
  const double minutes = since_saved_.seconds() / 60.0;
  if (options_.save_every_minutes > 0.0 && minutes >= options_.save_every_minutes) return true;
  return options_.save_every == 0 ? report.evaluated : report.state.step % options_.save_every == 0;
}

void CheckpointObserver::on_step(const StepReport& report) {
  if (!due(report)) return;
  require_finite_weights(report.state.step, *model_, options_);
  store_.save(parameters_of(*model_), optimizer_.state(), report.state, origin_, report.is_best, options_.keep);
  since_saved_ = StopWatch();
}

}  // namespace tinylm
