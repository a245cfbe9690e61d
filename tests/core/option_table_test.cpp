#include "core/option_table.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <regex>

#include "core/errors.h"
#include "test_support.h"

namespace tinylm {
namespace {

using test::message_of;
using Texts = std::vector<std::string>;

enum class Color { kRed, kGreen };

struct Fields {
  bool bias = false;
  std::int64_t layers = 4;
  std::uint64_t seed = 1337;
  double rate = 0.001;
  std::string name = "tiny";
  std::string schedule = "cosine";
  Color color = Color::kRed;
  Texts stop;
  bool check = true;

  void describe(OptionTable& table) {
    table.add("model", "bias", bias, "biases in linear layers");
    table.add("model", "layer_count", layers, "blocks");
    table.add("train", "seed", seed, "of everything");
    table.add("train", "rate", rate, "highest rate");
    table.add("train", "name", name, "of the run");
    table.add_choice("train", "schedule", schedule, {"cosine", "constant"}, "of the rate");
    table.add_choice<Color>("model", "color", color, {{"red", Color::kRed}, {"green", Color::kGreen}}, "of the model");
    table.add("train", "stop", stop, "texts");
    table.add("train", "check", check, "look twice").saved = false;
  }
};

class CommandLine : public ::testing::Test {
 protected:
  CommandLine() {
    fields_.describe(table_);
    table_.add_to(app_);
  }
  Texts give(Texts arguments) {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    app_.parse(arguments);
    return table_.apply_command_line();
  }

  Fields fields_;
  OptionTable table_;
  CLI::App app_{"test"};
};

TEST_F(CommandLine, SetsFieldsOfEveryType) {
  EXPECT_EQ(give({"--layer-count", "6", "--seed=7", "--rate", "1e-4", "--name", "a b", "--color", "green", "--schedule",
                  "constant", "--bias", "--no-check"}),
            (Texts{"bias", "layer_count", "seed", "rate", "name", "schedule", "color", "check"}));
  EXPECT_TRUE(fields_.bias);
  EXPECT_EQ(fields_.layers, 6);
  EXPECT_EQ(fields_.seed, 7u);
  EXPECT_EQ(fields_.rate, 1e-4);
  EXPECT_EQ(fields_.name, "a b");
  EXPECT_EQ(fields_.schedule, "constant");
  EXPECT_EQ(fields_.color, Color::kGreen);
  EXPECT_FALSE(fields_.check);
}

TEST_F(CommandLine, LeavesTheRestAlone) {
  EXPECT_EQ(give({}), Texts{});
  EXPECT_EQ(fields_.layers, 4);
  EXPECT_TRUE(fields_.check);
}

TEST_F(CommandLine, TakesNegativeNumbersAndTextsThatLookLikeFlags) {
  give({"--layer-count", "-3", "--rate", "-1e-3", "--name", "--seed"});
  EXPECT_EQ(fields_.layers, -3);
  EXPECT_EQ(fields_.rate, -1e-3);
  EXPECT_EQ(fields_.name, "--seed");
}

TEST_F(CommandLine, CollectsListsOneElementAFlag) {
  give({"--stop", "[0.9,0.95]", "--stop", "a,b", "--stop", "line\nbreak"});
  EXPECT_EQ(fields_.stop, (Texts{"[0.9,0.95]", "a,b", "line\nbreak"}));
}

TEST_F(CommandLine, TakesEmptyTexts) {
  give({"--name", "", "--stop", ""});
  EXPECT_EQ(fields_.name, "");
  EXPECT_EQ(fields_.stop, Texts{""});
}

TEST_F(CommandLine, LetsTheLastOfAFlagAndItsOppositeWin) {
  give({"--bias", "--no-bias"});
  EXPECT_FALSE(fields_.bias);
}

TEST_F(CommandLine, RefusesASingleValueGivenTwice) {
  EXPECT_THROW(give({"--seed", "1", "--seed", "2"}), CLI::ParseError);
}

TEST_F(CommandLine, StandsOverAFileReadInBetween) {
  Texts arguments = {"9", "--layer-count"};
  app_.parse(arguments);
  table_.read_toml_text("[model]\nlayer_count = 5\ncolor = \"green\"\n", "file");
  EXPECT_EQ(fields_.layers, 5);
  table_.apply_command_line();
  EXPECT_EQ(fields_.layers, 9);
  EXPECT_EQ(fields_.color, Color::kGreen);
}

TEST_F(CommandLine, NamesEveryWrongValueAndSetsNothing) {
  const std::string message = message_of<WrongUse>([&] {
    give({"--name", "new", "--layer-count", "1.5", "--rate", "fast", "--color", "gren", "--seed", "-1"});
  });
  EXPECT_EQ(message,
            "--layer-count: found '1.5', expected a whole number\n"
            "--seed: found '-1', expected a whole number from 0 to 9223372036854775807\n"
            "--rate: found 'fast', expected a finite number\n"
            "--color: found 'gren', expected one of red, green; did you mean 'green'?");
  EXPECT_EQ(fields_.name, "tiny");
}

TEST_F(CommandLine, RefusesASeedThatNoFileCouldHold) {
  EXPECT_EQ(message_of<WrongUse>([&] {
              give({"--seed", "9223372036854775808"});
            }),
            "--seed: found '9223372036854775808', expected a whole number from 0 to 9223372036854775807");
}

TEST_F(CommandLine, ShowsMeaningDefaultAndChoicesInTheHelp) {
  // Some versions of CLI11 break long lines and put a space between the names.
  const std::string help = std::regex_replace(app_.help(), std::regex("\\s+"), " ");
  for (const char* part : {"--layer-count INT", "blocks (default: 4)", "--bias,", "--no-bias", "(default: false)",
                           "--rate NUMBER", "(default: 0.001)", "of the rate (cosine, constant; default: cosine)",
                           "of the model (red, green; default: red)", "texts (default: none)", "Model:", "Train:"}) {
    EXPECT_NE(help.find(part), std::string::npos) << part << "\n" << help;
  }
}

TEST(OptionTable, KnowsTheFlagOfAKey) {
  Fields fields;
  OptionTable table;
  fields.describe(table);
  EXPECT_EQ(table.options()[1].flag(), "--layer-count");
}

TEST(OptionTable, RefusesTwoOptionsWithOneKey) {
  bool first = false, second = false;
  OptionTable table;
  table.add("model", "bias", first, "");
  EXPECT_EQ(message_of<std::logic_error>([&] { table.add("train", "bias", second, ""); }),
            "two options have the key bias");
}

TEST(OptionTable, RefusesAValueWithoutAWord) {
  auto color = static_cast<Color>(7);
  OptionTable table;
  table.add_choice<Color>("model", "color", color, {{"red", Color::kRed}}, "");
  EXPECT_EQ(message_of<std::logic_error>([&] { table.to_toml(); }), "no word for the value of color");
}

TEST(OptionTable, RefusesToSaveASeedThatNoFileCouldHold) {
  std::uint64_t seed = std::uint64_t{1} << 63;
  OptionTable table;
  EXPECT_EQ(message_of<std::logic_error>([&] { table.add("train", "seed", seed, ""), table.to_toml(); }),
            "seed above 2^63 - 1");
}

TEST(OptionTable, WritesJsonInTheOrderOfTheTable) {
  Fields fields;
  fields.rate = std::numeric_limits<double>::quiet_NaN();
  fields.stop = {"a\n", "é"};
  OptionTable table;
  fields.describe(table);
  EXPECT_EQ(table.to_json(),
            R"({"model":{"bias":false,"layer_count":4,"color":"red"},)"
            R"("train":{"seed":1337,"rate":null,"name":"tiny","schedule":"cosine","stop":["a\n","é"]}})");
}

TEST(OptionTable, ReplacesBytesInJsonThatAreNoUtf8) {
  std::string name = "a\xFF";
  OptionTable table;
  table.add("train", "name", name, "");
  EXPECT_EQ(table.to_json(), "{\"train\":{\"name\":\"a\uFFFD\"}}");
}

}  // namespace
}  // namespace tinylm
