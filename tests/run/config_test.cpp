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

TEST(MachineOptions, ChoosesAPrecisionByTheKindOfProcessor) {
  const Processor with_amx{"a processor", {"amx_bf16"}, "GenuineIntel"},
      without{"a processor", {"avx2"}, "GenuineIntel"};
  const auto resolved = [](MachineOptions options, const Processor& processor) {
    options.resolve_precision(processor);
    return options;
  };
  EXPECT_EQ(resolved({}, with_amx).precision, "bf16");
  EXPECT_EQ(resolved({}, with_amx).training_ops(), Ops::kBfloat16);
  EXPECT_EQ(resolved({}, without).precision, "fp32");
  EXPECT_EQ(resolved({}, without).training_ops(), Ops::kAuto);
  EXPECT_EQ(resolved({.precision = "fp32"}, with_amx).precision, "fp32") << "chosen by hand";
  EXPECT_EQ(resolved({.precision = "bf16"}, without).precision, "bf16");
  EXPECT_EQ(resolved({.ops = Ops::kPlain}, with_amx).training_ops(), Ops::kPlain);
}

TEST(MachineOptions, RefusesBfloat16OnPlainOperations) {
  const MachineOptions options{.ops = Ops::kPlain, .precision = "bf16"};
  Problems problems;
  options.validate(problems);
  EXPECT_EQ(problems.messages(),
            (std::vector<std::string>{"precision is bf16, but the plain operations compute in float32: "
                                      "leave out --ops plain or --precision"}));
}

TEST(MachineOptions, RefusesWhatCannotBeMeant) {
  MachineOptions options{.threads = -2, .ops = Ops::kAuto, .precision = "fp8"};
  Problems problems;
  options.validate(problems);
  EXPECT_EQ(problems.messages(), (std::vector<std::string>{"threads is -2, but must be 0 (automatic) or more",
                                                           "precision is 'fp8', but must be auto, fp32 or bf16"}));
}

}  // namespace
}  // namespace tinylm
