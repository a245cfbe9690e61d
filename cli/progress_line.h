// The live line of a training as text: what fits of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace tinylm {

struct Progress {
  std::int64_t step = 0;
  std::int64_t total_steps = 0;
  double loss_nats = 0.0;
  double val_loss_nats = std::numeric_limits<double>::quiet_NaN();       // the last one; NaN: none yet
  double best_val_loss_nats = std::numeric_limits<double>::quiet_NaN();  // likewise
  double learning_rate = 0.0;
  double gradient_norm = 0.0;
  double tokens_per_s = 0.0;
  double share_of_peak = 0.0;  // of what the machine multiplies at most; 0: not known
  double left_s = 0.0;
};

/// At most `columns` wide: what matters least is left out first, and a bar takes the room that is left. 0: all of it
/// and no bar, as for a file.
std::string progress_line(const Progress& progress, std::size_t columns);

}  // namespace tinylm
