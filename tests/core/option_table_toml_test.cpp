// Reading and writing TOML through core/option_table.h.
#include <gtest/gtest.h>

#include <cmath>

#include "core/errors.h"
#include "core/files.h"
#include "core/option_table.h"
#include "test_support.h"

namespace tinylm {
namespace {

using test::message_of;
using Texts = std::vector<std::string>;

enum class Norm { kLayer, kRms };

struct FileFields {
  bool bias = false;
  std::int64_t width = 128;
  std::uint64_t seed = 1337;
  double rate = 0.001, clip = 1.0;
  std::string note;
  Norm norm = Norm::kLayer;
  Texts stop;
  std::int64_t threads = 0;

  void describe(OptionTable& table) {
    table.add("model", "width", width, "channels");
    table.add("model", "bias", bias, "biases");
    table.add_choice<Norm>("model", "norm", norm, {{"layernorm", Norm::kLayer}, {"rmsnorm", Norm::kRms}}, "norm");
    table.add("train", "learning_rate", rate, "rate");
    table.add("train", "clip", clip, "clip");
    table.add("train", "seed", seed, "seed");
    table.add("train", "note", note, "note");
    table.add("train", "stop", stop, "stop");
    table.add("machine", "threads", threads, "threads").saved = false;
  }
};

class Toml : public ::testing::Test {
 protected:
  Toml() { fields_.describe(table_); }
  void read(const std::string& text) { table_.read_toml_text(text, "a.toml"); }
  std::string error(const std::string& text) {
    return message_of<WrongUse>([&] { read(text); });
  }

  FileFields fields_;
  OptionTable table_;
};

TEST_F(Toml, SetsFieldsOfEveryType) {
  read(
      "[train]\nlearning_rate = 3e-4\nclip = 2\nseed = 5\nnote = 'x'\nstop = ['a', \"b\\n\"]\n"
      "[model]\nbias = true\nwidth = 1_024\nnorm = 'rmsnorm'\n");
  EXPECT_EQ(fields_.rate, 3e-4);
  EXPECT_EQ(fields_.clip, 2.0);
  EXPECT_EQ(fields_.seed, 5u);
  EXPECT_EQ(fields_.note, "x");
  EXPECT_EQ(fields_.stop, (Texts{"a", "b\n"}));
  EXPECT_TRUE(fields_.bias);
  EXPECT_EQ(fields_.width, 1024);
  EXPECT_EQ(fields_.norm, Norm::kRms);
}

TEST_F(Toml, LeavesOutWhatIsOnlyForTheCommandLine) {
  EXPECT_EQ(table_.to_toml(),
            "[model]\nwidth = 128\nbias = false\nnorm = \"layernorm\"\n\n"
            "[train]\nlearning_rate = 0.001\nclip = 1.0\nseed = 1337\nnote = \"\"\nstop = []\n");
}

TEST_F(Toml, WritesEachSectionOnceWhateverTheOrder) {
  bool late = true;
  table_.add("model", "late", late, "");
  EXPECT_TRUE(table_.to_toml().starts_with(
      "[model]\nwidth = 128\nbias = false\nnorm = \"layernorm\"\nlate = true\n\n[train]\n"));
}

TEST_F(Toml, ReadsBackWhatItWrote) {
  const Texts lists[] = {{}, {"[0.9,0.95]"}, {"0.9", "0.95"}, {"", "a\nb\"c\\", "é日😀", "tab\t\x01\x7f"}};
  const std::string notes[] = {"",         "a\nb\"c\\",    "C:\\new\\table", "é日😀",
                               "'single'", "# no comment", "\r\n",           std::string("\0", 1)};
  for (const double rate : {0.9, 1e-4, 1e22, -0.0, 0.1 + 0.2, 5e-324, 1.7976931348623157e308, 1.0}) {
    for (const Texts& list : lists) {
      for (const std::string& note : notes) {
        fields_.rate = rate, fields_.stop = list, fields_.note = note;
        fields_.seed = 9223372036854775807u, fields_.width = -1, fields_.norm = Norm::kRms;
        FileFields again;
        OptionTable table;
        again.describe(table);
        table.read_toml_text(table_.to_toml(), "saved");
        EXPECT_EQ(again.rate, rate);
        EXPECT_EQ(std::signbit(again.rate), std::signbit(rate));
        EXPECT_EQ(again.stop, list);
        EXPECT_EQ(again.note, note);
        EXPECT_EQ(again.seed, 9223372036854775807u);
        EXPECT_EQ(again.width, -1);
        EXPECT_EQ(again.norm, Norm::kRms);
        EXPECT_EQ(table.to_toml(), table_.to_toml());
      }
    }
  }
}

TEST_F(Toml, NamesFileLineAndTheNearestKey) {
  EXPECT_EQ(error("# a comment\n\n[model]\nwidht = 5\n"),
            "a.toml:4: unknown key 'widht' in [model]; did you mean 'width'?");
  EXPECT_EQ(error("[model]\ncolour_of_the_sky = 5\n"), "a.toml:2: unknown key 'colour_of_the_sky' in [model]");
}

TEST_F(Toml, SaysWhereAKeyOfAnotherSectionBelongs) {
  EXPECT_EQ(error("[train]\nwidth = 5\n"), "a.toml:2: unknown key 'width' in [train]; it belongs in [model]");
  EXPECT_EQ(error("width = 5\n"), "a.toml:1: 'width' stands outside a section; it belongs in [model]");
  EXPECT_EQ(error("widht = 5\n"), "a.toml:1: 'widht' stands outside a section; did you mean 'width'?");
}

TEST_F(Toml, NamesTheNearestSection) {
  EXPECT_EQ(error("[modle]\nwidth = 5\n"), "a.toml:1: unknown section [modle]; did you mean 'model'?");
  EXPECT_EQ(error("[something_else]\n"), "a.toml:1: unknown section [something_else]");
}

TEST_F(Toml, NamesTheExpectedTypeAndTheValueFound) {
  EXPECT_EQ(error("[model]\nwidth = 1.5\n"), "a.toml:2: [model] width: found 1.5, expected a whole number");
  EXPECT_EQ(error("[model]\nwidth = true\n"), "a.toml:2: [model] width: found true, expected a whole number");
  EXPECT_EQ(error("[model]\nbias = 1\n"), "a.toml:2: [model] bias: found 1, expected true or false");
  EXPECT_EQ(error("[train]\nclip = '1'\n"), "a.toml:2: [train] clip: found '1', expected a finite number");
  EXPECT_EQ(error("[train]\nclip = nan\n"), "a.toml:2: [train] clip: found nan, expected a finite number");
  EXPECT_EQ(error("[train]\nseed = -1\n"),
            "a.toml:2: [train] seed: found -1, expected a whole number from 0 to 9223372036854775807");
  EXPECT_EQ(error("[train]\nnote = 2024-01-01\n"), "a.toml:2: [train] note: found 2024-01-01, expected a text");
  EXPECT_EQ(error("[train]\nstop = [1, 2]\n"), "a.toml:2: [train] stop: found [ 1, 2 ], expected a list of texts");
  EXPECT_EQ(error("[train.note]\n"), "a.toml:1: [train] note: found a table, expected a text");
}

TEST_F(Toml, SuggestsTheNearestWord) {
  EXPECT_EQ(error("[model]\nnorm = 'rmsnrom'\n"),
            "a.toml:2: [model] norm: found 'rmsnrom', expected one of layernorm, rmsnorm; did you mean 'rmsnorm'?");
}

TEST_F(Toml, CutsLongValuesInMessages) {
  EXPECT_EQ(error("[model]\nwidth = '" + std::string(100, 'x') + "'\n"),
            "a.toml:2: [model] width: found a value of 102 characters, expected a whole number");
}

TEST_F(Toml, RefusesWhatIsOnlyForTheCommandLine) {
  EXPECT_EQ(error("[machine]\nthreads = 2\n"),
            "a.toml:2: 'threads' is for the command line only (--threads); remove it here");
}

TEST_F(Toml, ReportsEverythingAtOnceAndSetsNothing) {
  const std::string message = error("[train]\nclip = 5\nseed = 'x'\n[model]\nbais = true\n");
  EXPECT_NE(message.find("a.toml:3: [train] seed: found 'x'"), std::string::npos) << message;
  EXPECT_NE(message.find("a.toml:5: unknown key 'bais'"), std::string::npos) << message;
  EXPECT_EQ(fields_.clip, 1.0);
}

TEST_F(Toml, PassesOverIgnoredSections) {
  table_.read_toml_text("[sample]\ntemperature = 1\n[model]\nwidth = 7\n", "a.toml", {"sample"});
  EXPECT_EQ(fields_.width, 7);
}

TEST_F(Toml, ReportsBrokenTomlWithItsLine) {
  const std::string message = error("[model]\nwidth = \n");
  EXPECT_TRUE(message.starts_with("a.toml:2: ")) << message;
  EXPECT_TRUE(error("[model]\nwidth = 1\nwidth = 2\n").starts_with("a.toml:3: "));
  EXPECT_TRUE(error("[train]\nseed = 9223372036854775808\n").starts_with("a.toml:2: "));
}

TEST_F(Toml, ReadsAFileAndNamesIt) {
  const auto file = test::fresh_folder() / "b.toml";
  write_atomically(file, "[model]\nwidth = 9\n");
  table_.read_toml(file);
  EXPECT_EQ(fields_.width, 9);
  write_atomically(file, "[model]\nwith = 9\n");
  EXPECT_EQ(message_of<WrongUse>([&] { table_.read_toml(file); }),
            file.string() + ":2: unknown key 'with' in [model]; did you mean 'width'?");
  EXPECT_THROW(table_.read_toml(file.parent_path() / "none.toml"), FileError);
}

}  // namespace
}  // namespace tinylm
