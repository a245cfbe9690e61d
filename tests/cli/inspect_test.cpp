// tinylm inspect as its users call it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "core/files.h"

namespace tinylm {
namespace {

using nlohmann::json;
using testing::contains;
using testing::Outcome;
namespace fs = std::filesystem;

/// A barely trained model of bytes, which takes any text: 2 layers, 4 heads, context 48.
class InspectProgram : public ::testing::Test {
 protected:
  static std::string folder_;

  static void SetUpTestSuite() {
    folder_ = testing::fresh_folder("inspect");
    write_atomically(fs::path(folder_) / "text.txt", testing::words(20000));
    for (const char* out : {"run", "other"}) {
      const Outcome trained = testing::run_program(folder_, {"train",
                                                             "text.txt",
                                                             "--tokenizer",
                                                             "byte",
                                                             "--layers",
                                                             "2",
                                                             "--heads",
                                                             "4",
                                                             "--width",
                                                             "32",
                                                             "--context",
                                                             "48",
                                                             "--batch",
                                                             "4",
                                                             "--warmup",
                                                             "1",
                                                             "--steps",
                                                             "4",
                                                             "--eval-every",
                                                             "2",
                                                             "--out",
                                                             out,
                                                             "--track-heads",
                                                             "--seed",
                                                             out == std::string("run") ? "1" : "2"});
      ASSERT_EQ(trained.exit_code, 0) << trained.err;
    }
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }

  static Outcome inspect(std::vector<std::string> flags, const std::string& input = "") {
    flags.insert(flags.begin(), "inspect");
    return testing::run_program(folder_, flags, input);
  }
  static json as_json(std::vector<std::string> flags) {
    flags.insert(flags.end(), {"--json"});
    const Outcome outcome = inspect(flags);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.exit_code == 0 ? json::parse(outcome.out) : json();
  }
  static json page_data(const std::string& file) {
    const std::string page = read_file(fs::path(folder_) / file);
    const std::size_t begin = page.find("id=\"data\">") + 10;
    return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  }
};

std::string InspectProgram::folder_;

TEST_F(InspectProgram, DrawsInTheTerminalByDefault) {
  const Outcome outcome = inspect({"run", "--prompt", "the river"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "--html FILE --open")) << outcome.err;
  for (const char* part : {"each row looks at the columns", "loss of each token", "next:", "L1"})
    EXPECT_TRUE(contains(outcome.out, part)) << part << "\n" << outcome.out;
  EXPECT_FALSE(contains(outcome.out, "\x1b"));
  EXPECT_TRUE(
      contains(testing::run_on_terminal(folder_, {"inspect", "run", "--prompt", "the river"}).out, "\x1b[48;5;"));
}

TEST_F(InspectProgram, TakesAnyPrompt) {
  const std::string thousand(1000, 'x');
  const std::vector<std::pair<std::string, std::size_t>> prompts = {{"", 1},
                                                                    {"x", 1},
                                                                    {thousand, 48},
                                                                    {"</script><b>&amp;", 17},
                                                                    {"\U0001F98A\U0001F9D1\u200D\U0001F680", 15},
                                                                    {"\u0645\u0631\u062D\u0628\u0627", 10},
                                                                    {"\u202Eabc", 6},
                                                                    {"a\u00E9", 3}};
  for (const auto& [prompt, tokens] : prompts) {
    const json found = as_json({"run", "--prompt", prompt});
    EXPECT_EQ(found["ids"].size(), tokens) << prompt;
    EXPECT_EQ(found["attention"][1][3].size(), tokens) << prompt;
    const Outcome page = inspect({"run", "--prompt", prompt, "--html", "any.html", "--term"});
    ASSERT_EQ(page.exit_code, 0) << page.err;
    EXPECT_EQ(page_data("any.html")["views"][0]["tokens"]["texts"], found["text"]) << prompt;
    EXPECT_TRUE(contains(page.out, "next:")) << prompt;
  }
  EXPECT_EQ(as_json({"run", "--prompt", "a\u00E9"})["text"], json({"a", "<C3>", "<A9>"}));
}

TEST_F(InspectProgram, SaysWhatItLeavesOut) {
  const json cut = as_json({"run", "--prompt", std::string(1000, 'x')});
  ASSERT_EQ(cut["notes"].size(), 1U);
  EXPECT_TRUE(contains(cut["notes"][0], "of which the last 48 fit into the model's context of 48")) << cut["notes"];
  const json last = as_json({"run", "--prompt", "the river", "--last", "4"});
  EXPECT_EQ(last["text"], json({"i", "v", "e", "r"}));
  EXPECT_TRUE(contains(last["notes"][0], "the last 4 of 9 tokens"));
}

TEST_F(InspectProgram, ReadsPromptsThatAreNoUtf8) {
  write_atomically(fs::path(folder_) / "bytes.bin", "a\xC3");
  const Outcome outcome = inspect({"run", "--prompt-file", "bytes.bin", "--json", "-"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["text"], json({"a", "<C3>"}));
}

TEST_F(InspectProgram, ContinuesThePromptAndMarksWhatItWrote) {
  const json both = as_json({"run", "--prompt", "the ", "--generate", "5"});
  EXPECT_EQ(both["generated_from"], 4);
  ASSERT_EQ(both["ids"].size(), 9U);
  const Outcome sampled =
      testing::run_program(folder_, {"sample", "run", "--prompt", "the ", "--greedy", "--max-tokens", "5", "--json"});
  EXPECT_EQ(json(std::vector<json>(both["ids"].begin() + 4, both["ids"].end())),
            json::parse(sampled.out)["samples"][0]["ids"]);
  EXPECT_TRUE(as_json({"run", "--prompt", "the "})["generated_from"].is_null());
  const json long_prompt = as_json({"run", "--prompt", std::string(100, 'x'), "--generate", "40"});
  EXPECT_EQ(long_prompt["generated_from"], 8);
  EXPECT_EQ(long_prompt["ids"].size(), 48U);
}

TEST_F(InspectProgram, WritesEveryFormatAtOnce) {
  const Outcome outcome = inspect({"run", "--prompt", "the river", "--html", "all/page.html", "--json", "all/all.json",
                                   "--npy", "all/npy", "--what", "attention,q,residual", "--csv", "all/csv", "--png",
                                   "all/head.png", "--svg", "all/head.svg", "--head", "L1H2"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  for (const char* name : {"page.html", "all.json", "npy/attention.npy", "npy/q.npy", "npy/residual.npy",
                           "npy/tokens.json", "csv/scores.csv", "csv/ablation.csv", "head.png", "head.svg"})
    EXPECT_TRUE(fs::exists(fs::path(folder_) / "all" / name)) << name;
  EXPECT_TRUE(contains(read_file(fs::path(folder_) / "all/head.svg"), "L1H2"));
  EXPECT_TRUE(contains(outcome.err, "a page of ")) << outcome.err;
}

TEST_F(InspectProgram, ShowsOnlyTheLayersAndHeadsAskedFor) {
  const json some = as_json({"run", "--prompt", "the river", "--layers", "1", "--heads", "0,2-3"});
  EXPECT_EQ(some["layers"], json({1}));
  EXPECT_EQ(some["heads"], json({0, 2, 3}));
  EXPECT_EQ(some["ablation"]["zero"][0].size(), 3U);
  EXPECT_EQ(some["finding"]["layer"], 1);
  const json all = as_json({"run", "--prompt", "the river"});
  EXPECT_EQ(some["rollout"], all["rollout"]) << "of all heads, whichever are shown";
  EXPECT_EQ(some["attention"][0][1], all["attention"][1][2]);
  EXPECT_EQ(some["ablation"]["mean"][0][2], all["ablation"]["mean"][1][3]);
}

TEST_F(InspectProgram, TakesOutTheHeadsItIsToldTo) {
  EXPECT_TRUE(as_json({"run", "--prompt", "the river", "--ablation", "none"})["ablation"].is_null());
  const json notable = as_json({"run", "--prompt", "the river", "--ablation", "notable"})["ablation"]["zero"];
  int known = 0;
  for (const json& layer : notable)
    for (const json& head : layer) known += head[1].is_null() ? 0 : 1;
  EXPECT_GE(known, 1);
  EXPECT_LE(known, 3);
}

TEST_F(InspectProgram, PutsTwoRunsOrTwoPromptsSideBySide) {
  ASSERT_EQ(inspect({"--compare", "run", "other", "--prompt", "the river", "--html", "two.html"}).exit_code, 0);
  const json runs = page_data("two.html")["views"];
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0]["title"], "run");
  EXPECT_EQ(runs[1]["model"]["run"], "other");
  EXPECT_EQ(runs[0]["tokens"]["ids"], runs[1]["tokens"]["ids"]);
  EXPECT_NE(runs[0]["attention"], runs[1]["attention"]);
  const json prompts = as_json({"run", "--prompt", "the river", "--prompt", "the hill"})["views"];
  ASSERT_EQ(prompts.size(), 2U);
  EXPECT_EQ(prompts[1]["title"], "the hill");
  EXPECT_EQ(as_json({"--compare", "run", "other"})["views"][1]["ids"].size(), 32U) << "the first run's own text";
  testing::train_small_run(folder_, "letters", {"--tokenizer", "char"});
  const Outcome unknown = inspect({"--compare", "run", "letters", "--prompt", "\u03A9"});
  EXPECT_EQ(unknown.exit_code, 3) << unknown.err;
  EXPECT_TRUE(contains(unknown.err, "error: for letters: character")) << unknown.err;
}

TEST_F(InspectProgram, OpensThePageAtTheHeadAskedFor) {
  ASSERT_EQ(inspect({"run", "--prompt", "the river", "--head", "1.2", "--html", "head.html"}).exit_code, 0);
  EXPECT_EQ(page_data("head.html")["views"][0]["opening"], json({{"layer", 1}, {"head", 2}}));
  EXPECT_TRUE(as_json({"run", "--prompt", "the river"})["opening"].is_null());
}

TEST_F(InspectProgram, WritesToPipesAndThroughLinks) {
  const fs::path folder(folder_);
  fs::create_symlink("behind.json", folder / "link.json");
  ASSERT_EQ(inspect({"run", "--prompt", "the", "--json", "link.json"}).exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(folder / "link.json"));
  EXPECT_EQ(json::parse(read_file(folder / "behind.json"))["ids"].size(), 3U);
  const Outcome piped = testing::run_shell(folder_, "tinylm inspect run --prompt the --json /dev/stdout | cat");
  EXPECT_EQ(json::parse(piped.out)["ids"].size(), 3U) << piped.err;
}

TEST_F(InspectProgram, ShowsHowHeadsFormed) {
  const json training = as_json({"run", "--prompt", "the river"})["training"];
  EXPECT_EQ(training["steps"], json({2, 4}));
  for (const char* id : {"previous", "duplicate_random", "induction_random"})
    EXPECT_EQ(training["scores"][id][1][0].size(), 4U) << id;
}

TEST_F(InspectProgram, ProbesWithoutAText) {
  for (const char* probe : {"induction", "previous", "copy"}) {
    const Outcome outcome = inspect({"run", "--probe", probe});
    ASSERT_LE(outcome.exit_code, 1) << outcome.err;
    const bool none = contains(outcome.out, "\nNo head passes; the best is L");
    EXPECT_NE(none, contains(outcome.out, " passes: L") || contains(outcome.out, " pass: L")) << outcome.out;
    EXPECT_EQ(outcome.exit_code, none ? 1 : 0) << outcome.out;
  }
  EXPECT_EQ(inspect({"run", "--probe", "reading"}).exit_code, 2);
}

TEST_F(InspectProgram, OpensThePageInTheBrowser) {
  write_atomically(fs::path(folder_) / "bin/xdg-open", "#!/bin/sh\necho \"$1\" > opened\n");
  fs::permissions(fs::path(folder_) / "bin/xdg-open", fs::perms::owner_all);
  const Outcome outcome =
      testing::run_shell(folder_, "PATH=$PWD/bin:$PATH tinylm inspect run --prompt the --html opened.html --open");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(read_file(fs::path(folder_) / "opened"), (fs::canonical(folder_) / "opened.html").string() + "\n");
}

struct WrongInspect {
  const char* name;
  std::vector<std::string> flags;
  const char* says;
};

class WrongInspectUse : public InspectProgram, public ::testing::WithParamInterface<WrongInspect> {};

TEST_P(WrongInspectUse, IsRefusedWithWhatToDo) {
  const Outcome outcome = inspect(GetParam().flags);
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, GetParam().says)) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongInspectUse,
    ::testing::Values(
        WrongInspect{"HeadOfNoLayer", {"run", "--head", "2.0"}, "--head is L2H0, expected L0H0 to L1H3"},
        WrongInspect{"HeadLeftOut", {"run", "--head", "0.0", "--layers", "1"}, "which --layers and --heads leave out"},
        WrongInspect{"HeadSpelled", {"run", "--head", "two"}, "such as 0.2 or L0H2; found \"two\""},
        WrongInspect{"Layers", {"run", "--layers", "0-2"}, "--layers names 2, expected numbers from 0 to 1"},
        WrongInspect{"Heads", {"run", "--heads", "x"}, "--heads takes numbers and ranges"},
        WrongInspect{"ThreePrompts", {"run", "--prompt", "a", "--prompt", "b", "--prompt", "c"}, "expected at most 2"},
        WrongInspect{"CompareAndRun", {"run", "--compare", "run", "other"}, "leave out the first RUN"},
        WrongInspect{"CompareTwoPrompts",
                     {"--compare", "run", "other", "--prompt", "a", "--prompt", "b"},
                     "two runs, or two prompts"},
        WrongInspect{"PngOfTwo",
                     {"run", "--prompt", "a", "--prompt", "b", "--png", "x.png"},
                     "--png writes one text of one run"},
        WrongInspect{"What", {"run", "--prompt", "a", "--npy", "x", "--what", "queries"}, "--what names \"queries\""},
        WrongInspect{"WhatWithoutNpy", {"run", "--what", "q"}, "--npy"},
        WrongInspect{"OpenWithoutPage", {"run", "--open"}, "--html"},
        WrongInspect{"GenerateTooMuch", {"run", "--prompt", "a", "--generate", "48"}, "give at most 47"},
        WrongInspect{"GenerateLess", {"run", "--generate", "-1"}, "--generate must be at least 0, not -1"},
        WrongInspect{"LastLess", {"run", "--last", "-2"}, "--last must be at least 1"},
        WrongInspect{"CompareOne", {"--compare", "run"}, "--compare takes 2 values after it, and was given 1"},
        WrongInspect{
            "NoSuchProbe", {"run", "--probe", "nonsense"}, "'nonsense', expected one of induction, previous, copy"},
        WrongInspect{"ProbeAndPrompt", {"run", "--probe", "copy", "--prompt", "a"}, "--probe makes texts of its own"},
        WrongInspect{"ProbeAndLast", {"run", "--probe", "copy", "--last", "3"}, "--probe makes texts of its own"},
        WrongInspect{"TwoOnOutput", {"run", "--json", "--term"}, "give --json a file"},
        WrongInspect{"ProbeAndFile", {"run", "--probe", "copy", "--json"}, "leave out"}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace tinylm
