// The options of the generation loop, and the names of its endings.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/errors.h"
#include "core/option_table.h"
#include "sample/generator.h"

namespace tinylm {
namespace {

TEST(GenerateOptions, RefusesWhatCannotBeMeantAllAtOnce) {
  GenerateOptions options;
  options.max_tokens = 0;
  options.max_time = -1.0;
  options.stop = {"", "\xFF"};
  options.beams = 65;
  options.length_penalty = -0.5;
  Problems problems;
  options.validate(problems);
  EXPECT_EQ(
      problems.messages(),
      (std::vector<std::string>{
          "max_tokens is 0, expected at least 1",
          "max_time is -1.0, expected 0 (no limit) or a positive number of seconds",
          "beams is 65, expected 1 (none) to 64", "length_penalty is -0.5, expected 0 (none) or a positive number",
          "stop is empty, expected a text that ends the sample", "stop \"<FF>\" is not UTF-8: it could never appear"}));
}

TEST(GenerateOptions, AreReadThroughTheOptionTable) {
  GenerateOptions options;
  OptionTable table;
  options.describe(table);
  table.read_toml_text(
      "[sample]\nmax_tokens = 7\nstop = [\"a\", \"b\"]\ncache = false\noverflow = \"stop\"\nmax_time = 2.5\n"
      "beams = 4\nlength_penalty = 1\n",
      "t");
  EXPECT_EQ(options.max_tokens, 7);
  EXPECT_EQ(options.stop, (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(options.use_cache);
  EXPECT_EQ(options.overflow, Overflow::kStop);
  EXPECT_EQ(options.max_time, 2.5);
  EXPECT_EQ(options.beams, 4);
  EXPECT_EQ(options.length_penalty, 1.0);
}

TEST(FinishReason, HasTheNamesThatProgramsRead) {
  EXPECT_STREQ(to_string(FinishReason::kEnd), "end");
  EXPECT_STREQ(to_string(FinishReason::kStop), "stop");
  EXPECT_STREQ(to_string(FinishReason::kLength), "length");
  EXPECT_STREQ(to_string(FinishReason::kTime), "time");
}

}  // namespace
}  // namespace tinylm
