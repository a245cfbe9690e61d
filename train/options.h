// How a model is trained; section [train] of the configuration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tinylm {

class OptionTable;
class Problems;

/// "stop" and "skip".
std::vector<std::string> on_nan_names();

struct TrainOptions {
  std::int64_t steps = 2000;         // optimizer steps
  double minutes = 0.0;              // wall time for everything, instead of steps, see train/pace.h; 0: steps hold
  std::int64_t batch = 12;           // samples a step, over all micro-batches
  std::int64_t accumulate = 1;       // micro-batches a step; divides batch; same gradient, less memory
  std::string optimizer = "adamw";   // a name of optimizer_names()
  double learning_rate = 1e-3;       // highest rate; with muon of what is no matrix of a block
  double min_learning_rate = 1e-4;   // rate at the last step
  std::int64_t warmup = 100;         // steps from 0 to the highest rate
  std::string schedule = "cosine";   // a name of schedule_names()
  double warmdown = 0.6;             // share of the steps after the warm-up in which schedule linear goes down
  double beta1 = 0.9;                // decay of the mean gradient
  double beta2 = 0.99;               // decay of the mean squared gradient
  double weight_decay = 0.1;         // on matrices of the blocks only
  double muon_learning_rate = 0.02;  // highest rate of the blocks' matrices; follows the same schedule
  double muon_momentum = 0.95;       // decay of the mean gradient of the blocks' matrices
  std::int64_t muon_iterations = 3;  // of the orthogonalisation
  double clip = 1.0;                 // largest gradient norm; 0: off
  std::int64_t eval_every = 250;     // steps between evaluations; 0: only at the end
  std::int64_t save_every = 0;       // steps between checkpoints; 0: at every evaluation
  double save_every_minutes = 0.0;   // minutes between checkpoints, besides those; 0: off
  std::int64_t keep = 2;             // newest checkpoints kept besides best; 0: all
  std::string on_nan = "stop";       // what a loss or gradient that is not finite does: "stop", or "skip" the step
  std::int64_t patience = 0;         // stop after so many evaluations without a better validation loss; 0: off
  std::uint64_t seed = 1337;         // of initialisation, windows, dropout, tokenizer sample

  void describe(OptionTable& table);
  void validate(Problems& problems) const;
};

}  // namespace tinylm
