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
  options.max_seconds = -1.0;
  options.stop = {"", "\xFF"};
  Problems problems;
  options.validate(problems);
  EXPECT_EQ(
      problems.messages(),
      (std::vector<std::string>{
          "max_tokens is 0, expected at least 1", "max_seconds is -1.0, expected 0 (no limit) or a positive number",
          "stop is empty, expected a text that ends the sample", "stop \"<FF>\" is not UTF-8: it could never appear"}));
}

TEST(GenerateOptions, AreReadThroughTheOptionTable) {
  GenerateOptions options;
  OptionTable table;
  options.describe(table);
  table.read_toml_text(
      "[sample]\nmax_tokens = 7\nstop = [\"a\", \"b\"]\ncache = false\noverflow = \"stop\"\nmax_seconds = 2.5\n", "t");
  EXPECT_EQ(options.max_tokens, 7);
  EXPECT_EQ(options.stop, (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(options.use_cache);
  EXPECT_EQ(options.overflow, Overflow::kStop);
  EXPECT_EQ(options.max_seconds, 2.5);
}

TEST(FinishReason, HasTheNamesThatProgramsRead) {
  EXPECT_STREQ(to_string(FinishReason::kEnd), "end");
  EXPECT_STREQ(to_string(FinishReason::kStop), "stop");
  EXPECT_STREQ(to_string(FinishReason::kLength), "length");
  EXPECT_STREQ(to_string(FinishReason::kTime), "time");
}

}  // namespace
}  // namespace tinylm
