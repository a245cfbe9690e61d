#include "measure/norms_of_step.h"

#include "core/stop_watch.h"
#include "model/ops/norms.h"

namespace tinylm {

NormsOfStep::NormsOfStep(const ModelConfig& config, std::int64_t rows)
    : count_(2 * config.layers + 1),
      weight_(static_cast<std::size_t>(config.width), 1.0F),
      dweight_(weight_.size()),
      means_(static_cast<std::size_t>(rows)),
      scales_(means_.size()) {
  norm_ = {
      .kind = config.norm, .rows = rows, .C = config.width, .epsilon = ops::kNormEpsilon, .weight = weight_.data()};
  for (std::vector<float>* matrix : {&x_, &y_, &dy_, &residual_, &dx_})
    matrix->assign(static_cast<std::size_t>(rows * config.width), 0.5F);
  for (std::size_t i = 0; i < x_.size(); i += 3) x_[i] = -1.0F;  // a variance
}

double NormsOfStep::run_s() {
  const ops::RowNormStatistics statistics{means_.data(), scales_.data()};
  return seconds_of([&] {
    for (std::int64_t i = 0; i < count_; ++i) {
      ops::row_norm_forward(norm_, x_.data(), y_.data(), statistics);
      ops::row_norm_again(norm_, x_.data(), statistics, y_.data());
      ops::row_norm_backward(norm_, x_.data(), statistics, dy_.data(), residual_.data(), dx_.data(), dweight_.data(),
                             nullptr);
    }
  });
}

}  // namespace tinylm
