#include "train/options.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/option_table.h"

namespace tinylm {
namespace {

std::vector<std::string> problems_of(const TrainOptions& options) {
  Problems problems;
  options.validate(problems);
  return problems.messages();
}

struct Case {
  std::function<void(TrainOptions&)> change;
  std::string problem;
};

TEST(TrainOptions, DefaultsAreValid) {
  EXPECT_TRUE(problems_of(TrainOptions{}).empty());
}

TEST(TrainOptions, SaysWhatCannotBeMeant) {
  const std::vector<Case> cases = {
      {[](auto& o) { o.steps = 0; }, "steps is 0, but must be at least 1"},
      {[](auto& o) { o.batch = 0; }, "batch is 0, but must be at least 1"},
      {[](auto& o) { o.accumulate = 0; }, "accumulate is 0, but must be at least 1"},
      {[](auto& o) { o.accumulate = 5; }, "batch is 12 and accumulate 5, but accumulate must divide batch"},
      {[](auto& o) { o.warmup = -1; }, "warmup is -1, but must be at least 0"},
      {[](auto& o) { o.eval_every = -1; }, "eval_every is -1, but must be at least 0"},
      {[](auto& o) { o.save_every = -1; }, "save_every is -1, but must be at least 0"},
      {[](auto& o) { o.keep = -1; }, "keep is -1, but must be at least 0"},
      {[](auto& o) { o.patience = -1; }, "patience is -1, but must be at least 0"},
      {[](auto& o) { o.eval_every = 0, o.patience = 2; },
       "patience is 2, but eval_every is 0, so there is nothing to wait for"},
      {[](auto& o) { o.optimizer = "adam"; }, "optimizer is 'adam', but must be one of adamw, muon"},
      {[](auto& o) { o.schedule = "sine"; }, "schedule is 'sine', but must be one of cosine, linear, constant"},
      {[](auto& o) { o.learning_rate = 0, o.min_learning_rate = 0; }, "learning_rate is 0.0, but must be at least "},
      {[](auto& o) { o.learning_rate = std::nan(""); }, "learning_rate is nan, but must be at least "},
      {[](auto& o) { o.min_learning_rate = -1; }, "min_learning_rate is -1.0, but must be at least 0.0 and finite"},
      {[](auto& o) { o.min_learning_rate = 2; }, "min_learning_rate is 2.0, but must be at most learning_rate, 0.001"},
      {[](auto& o) { o.beta1 = 1; }, "beta1 is 1.0, but must be at least 0.0 and below 1.0"},
      {[](auto& o) { o.beta2 = -0.5; }, "beta2 is -0.5, but must be at least 0.0 and below 1.0"},
      {[](auto& o) { o.weight_decay = -1; }, "weight_decay is -1.0, but must be at least 0.0 and finite"},
      {[](auto& o) { o.warmdown = 1.5; }, "warmdown is 1.5, but must be a share of the steps, 0 to 1"},
      {[](auto& o) { o.warmdown = std::nan(""); }, "warmdown is nan, but must be a share of the steps, 0 to 1"},
      {[](auto& o) { o.muon_learning_rate = -1; }, "muon_learning_rate is -1.0, but must be at least 0.0 and finite"},
      {[](auto& o) { o.muon_momentum = 1; }, "muon_momentum is 1.0, but must be at least 0.0 and below 1.0"},
      {[](auto& o) { o.muon_iterations = 0; }, "muon_iterations is 0, but must be at least 1"},
      {[](auto& o) { o.muon_iterations = 11; }, "muon_iterations is 11, but more than 10 change nothing"},
      {[](auto& o) { o.clip = INFINITY; }, "clip is inf, but must be at least 0.0 and finite"},
  };
  for (const Case& c : cases) {
    TrainOptions options;
    c.change(options);
    const auto problems = problems_of(options);
    ASSERT_EQ(problems.size(), 1u) << c.problem;
    EXPECT_EQ(problems[0].substr(0, c.problem.size()), c.problem);
  }
}

TEST(TrainOptions, SaysEverythingAtOnce) {
  TrainOptions options;
  options.steps = options.batch = -3;
  options.clip = -1;
  EXPECT_EQ(problems_of(options).size(), 3u);
}

TEST(TrainOptions, ReadsBackWhatItWrites) {
  TrainOptions written;
  OptionTable writing;
  written.describe(writing);
  written = {.steps = 7,
             .batch = 6,
             .accumulate = 3,
             .optimizer = "adamw",
             .learning_rate = 0.1,
             .min_learning_rate = 0.01,
             .warmup = 1,
             .schedule = "constant",
             .warmdown = 0.7,
             .beta1 = 0.5,
             .beta2 = 0.6,
             .weight_decay = 0.2,
             .muon_learning_rate = 0.04,
             .muon_momentum = 0.8,
             .muon_iterations = 2,
             .clip = 0.3,
             .eval_every = 8,
             .save_every = 9,
             .keep = 10,
             .patience = 11,
             .seed = 0xffffffffffff};
  TrainOptions read;
  OptionTable reading;
  read.describe(reading);
  reading.read_toml_text(writing.to_toml(), "config.toml");
  EXPECT_EQ(reading.to_toml(), writing.to_toml());
  EXPECT_EQ(read.patience, 11);
  EXPECT_EQ(read.beta2, 0.6);
  EXPECT_EQ(read.seed, 0xffffffffffffu);
  EXPECT_EQ(reading.options().size(), 24u);  // every field of the struct
}

}  // namespace
}  // namespace tinylm
