#include "run/config.h"

#include <gtest/gtest.h>

#include "core/errors.h"
#include "core/option_table.h"

namespace tinylm {
namespace {

std::vector<std::string> problems_of(const RunConfig& config) {
  Problems problems;
  config.validate(problems);
  return problems.messages();
}

TEST(RunConfig, DefaultsAreValidBeforeTheVocabularyIsKnown) {
  EXPECT_TRUE(problems_of(RunConfig{}).empty());
}

TEST(RunConfig, ReadsBackWhatItWrites) {
  RunConfig written;
  OptionTable writing;
  written.describe(writing);
  written.tokenizer.tokenizer = "byte";
  written.model.width = 96;
  written.machine = {.threads = 3, .ops = Ops::kPlain, .precision = "fp32"};
  RunConfig read;
  OptionTable reading;
  read.describe(reading);
  reading.read_toml_text(writing.to_toml(), "config.toml");
  EXPECT_EQ(read.tokenizer.tokenizer, "byte");
  EXPECT_EQ(read.model.width, 96);
  EXPECT_EQ(read.machine.threads, 3);
  EXPECT_EQ(read.machine.ops, Ops::kPlain);
  EXPECT_EQ(read.machine.precision, "fp32");
  EXPECT_EQ(reading.to_toml(), writing.to_toml());
}

TEST(RunConfig, NamesEveryPartThatCannotBeMeant) {
  RunConfig config;
  config.text.val_fraction = 2.0;
  config.tokenizer.tokenizer = "words";
  config.model.heads = 3;  // does not divide 128
  config.machine.threads = -1;
  EXPECT_EQ(problems_of(config).size(), 4u);
}

TEST(RunConfig, RefusesOddHeadsWithRotaryPositions) {
  RunConfig config;
  config.model.positions = "rope";
  config.model.width = 12;
  config.model.heads = 4;  // head size 3
  EXPECT_EQ(problems_of(config).size(), 1u);
}

TEST(MachineOptions, RefusesWhatCannotBeMeant) {
  MachineOptions options{.threads = -2, .ops = Ops::kAuto, .precision = "fp8"};
  Problems problems;
  options.validate(problems);
  EXPECT_EQ(problems.messages(), (std::vector<std::string>{"threads is -2, but must be 0 (automatic) or more",
                                                           "precision is 'fp8', but must be auto or fp32"}));
}

}  // namespace
}  // namespace tinylm
