#include "train/options.h"

#include <cmath>

#include "core/errors.h"
#include "core/numbers.h"
#include "core/option_table.h"
#include "train/optim/optimizer.h"
#include "train/schedule.h"

namespace tinylm {
namespace {

/// Notes that a whole number is below its least value.
void at_least(Problems& problems, const char* field, std::int64_t value, std::int64_t least) {
  problems.require(value >= least, std::string(field) + " is " + std::to_string(value) + ", but must be at least " +
                                       std::to_string(least));
}

/// Notes that a number is not in [low, high), or is NaN.
void in_range(Problems& problems, const char* field, double value, double low, double high) {
  if (value >= low && value < high) return;
  problems.add(std::string(field) + " is " + shortest(value) + ", but must be at least " + shortest(low) +
               (std::isinf(high) ? " and finite" : " and below " + shortest(high)));
}

void one_of(Problems& problems, const char* field, const std::string& value, const std::vector<std::string>& names) {
  std::string known;
  for (const std::string& name : names) {
    if (name == value) return;
    known += (known.empty() ? "" : ", ") + name;
  }
  problems.add(std::string(field) + " is '" + value + "', but must be one of " + known);
}

}  // namespace

std::vector<std::string> on_nan_names() {
  return {"stop", "skip"};
}

void TrainOptions::describe(OptionTable& table) {
  const auto add = [&](const char* key, auto& field, const char* help) { table.add("train", key, field, help); };
  add("steps", steps, "optimizer steps");
  add("minutes", minutes, "train for so many minutes, all told, instead of a number of steps; 0: steps");
  add("batch", batch, "samples a step, over all micro-batches");
  add("accumulate", accumulate, "micro-batches a step, a divisor of batch: the same gradient in less memory");
  table.add_choice("train", "optimizer", optimizer, optimizer_names(), "how gradients become changes of the weights");
  add("learning_rate", learning_rate, "highest learning rate");
  add("min_learning_rate", min_learning_rate, "learning rate at the last step");
  add("warmup", warmup, "steps from 0 to the highest learning rate; 0: none");
  table.add_choice("train", "schedule", schedule, schedule_names(), "course of the learning rate after the warm-up");
  add("warmdown", warmdown, "share of the steps after the warm-up in which schedule linear goes down");
  add("beta1", beta1, "decay of the mean gradient a step");
  add("beta2", beta2, "decay of the mean squared gradient a step");
  add("weight_decay", weight_decay, "decay of the blocks' matrices a step, times the learning rate; 0: off");
  add("muon_learning_rate", muon_learning_rate, "with optimizer muon, highest learning rate of the blocks' matrices");
  add("muon_momentum", muon_momentum, "with optimizer muon, decay of the mean gradient a step");
  add("muon_iterations", muon_iterations, "with optimizer muon, iterations of the orthogonalisation");
  add("clip", clip, "largest norm of the gradient, which is scaled down to it; 0: off");
  add("eval_every", eval_every, "steps between evaluations; 0: only at the end");
  add("save_every", save_every, "steps between checkpoints; 0: at every evaluation");
  add("save_every_minutes", save_every_minutes, "minutes between checkpoints, besides those; 0: off");
  add("keep", keep, "newest checkpoints kept besides the best; 0: all");
  add("patience", patience, "stop after so many evaluations without a better validation loss; 0: off");
  table.add_choice("train", "on_nan", on_nan, on_nan_names(),
                   "what a loss or gradient that is not finite does: stop the training, or skip the step and count it");
  add("seed", seed, "seed of initialisation, windows, dropout and the tokenizer's sample");
}

void TrainOptions::validate(Problems& problems) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  at_least(problems, "steps", steps, 1);
  at_least(problems, "batch", batch, 1);
  at_least(problems, "accumulate", accumulate, 1);
  at_least(problems, "warmup", warmup, 0);
  at_least(problems, "muon_iterations", muon_iterations, 1);
  at_least(problems, "eval_every", eval_every, 0);
  at_least(problems, "save_every", save_every, 0);
  at_least(problems, "keep", keep, 0);
  at_least(problems, "patience", patience, 0);
  one_of(problems, "on_nan", on_nan, on_nan_names());
  in_range(problems, "minutes", minutes, 0.0, kInfinity);
  in_range(problems, "save_every_minutes", save_every_minutes, 0.0, kInfinity);
  one_of(problems, "optimizer", optimizer, optimizer_names());
  one_of(problems, "schedule", schedule, schedule_names());
  in_range(problems, "learning_rate", learning_rate, std::numeric_limits<double>::denorm_min(), kInfinity);
  in_range(problems, "min_learning_rate", min_learning_rate, 0.0, kInfinity);
  in_range(problems, "beta1", beta1, 0.0, 1.0);
  in_range(problems, "beta2", beta2, 0.0, 1.0);
  in_range(problems, "weight_decay", weight_decay, 0.0, kInfinity);
  in_range(problems, "muon_learning_rate", muon_learning_rate, 0.0, kInfinity);
  in_range(problems, "muon_momentum", muon_momentum, 0.0, 1.0);
  in_range(problems, "clip", clip, 0.0, kInfinity);
  if (batch >= 1 && accumulate >= 1) {
    problems.require(batch % accumulate == 0, "batch is " + std::to_string(batch) + " and accumulate " +
                                                  std::to_string(accumulate) + ", but accumulate must divide batch");
  }
  problems.require(warmdown >= 0.0 && warmdown <= 1.0,
                   "warmdown is " + shortest(warmdown) + ", but must be a share of the steps, 0 to 1");
  problems.require(muon_iterations <= 10,
                   "muon_iterations is " + std::to_string(muon_iterations) + ", but more than 10 change nothing");
  problems.require(!(min_learning_rate > learning_rate), "min_learning_rate is " + shortest(min_learning_rate) +
                                                             ", but must be at most learning_rate, " +
                                                             shortest(learning_rate));
  problems.require(patience <= 0 || eval_every != 0, "patience is " + std::to_string(patience) +
                                                         ", but eval_every is 0, so there is nothing to wait for");
}

}  // namespace tinylm
