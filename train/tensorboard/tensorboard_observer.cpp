#include "train/tensorboard/tensorboard_observer.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace tinylm {

void TensorboardObserver::on_step(const StepReport& report) {
  std::vector<std::pair<std::string, double>> scalars = {{"loss/training", report.train_loss_nats},
                                                         {"learning_rate", report.learning_rate},
                                                         {"gradient_norm", report.gradient_norm},
                                                         {"tokens_per_s", report.tokens_per_s}};
  if (!std::isnan(report.val_loss_nats)) scalars.emplace_back("loss/validation", report.val_loss_nats);
  file_.add(report.state.step, scalars);
}

}  // namespace tinylm
