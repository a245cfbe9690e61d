// docs/attention.md says what its commands print. Here they are run, in the order of the page and in one folder.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <regex>
#include <sstream>

#include "cli/program.h"
#include "core/files.h"

namespace tinylm {
namespace {

struct Example {
  std::string command;             // what stands after "$ "
  std::vector<std::string> shown;  // the lines below it
};

/// Lines with four spaces before them are examples; "$ " begins a command.
std::vector<Example> examples_of(const std::string& page) {
  std::vector<Example> examples;
  std::istringstream lines(page);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    const bool indented = line.starts_with("    ");
    if (indented && line.starts_with("    $ ")) {
      examples.push_back({line.substr(6), {}});
      inside = true;
    } else if (inside && (indented || line.empty())) {
      examples.back().shown.push_back(indented ? line.substr(4) : "");
    } else {
      inside = false;
    }
  }
  for (Example& example : examples) {
    while (!example.shown.empty() && example.shown.back().empty()) example.shown.pop_back();
  }
  return examples;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// A line as its words, with spaces of any length as one and '#' for numbers, and the numbers.
struct Reading {
  std::string words;
  std::vector<double> numbers;
};

Reading reading_of(const std::string& line) {
  static const std::regex kNumber(R"(-?\d+(\.\d+)?(e[-+]?\d+)?)"), kSpaces(" +");
  Reading reading;
  for (auto at = std::sregex_iterator(line.begin(), line.end(), kNumber); at != std::sregex_iterator(); ++at)
    reading.numbers.push_back(std::stod(at->str()));
  reading.words = std::regex_replace(std::regex_replace(line, kNumber, "#"), kSpaces, " ");
  return reading;
}

/// Same words, and numbers as near as trainings on different processors come.
bool alike(const std::string& found, const std::string& shown) {
  const Reading a = reading_of(found), b = reading_of(shown);
  if (a.words != b.words || a.numbers.size() != b.numbers.size()) return false;
  for (std::size_t i = 0; i < a.numbers.size(); ++i) {
    if (std::abs(a.numbers[i] - b.numbers[i]) > 0.1 + 0.05 * std::abs(b.numbers[i])) return false;
  }
  return true;
}

/// Line by line; "..." stands for any lines.
::testing::AssertionResult matches(const std::string& out, const Example& example, bool exactly) {
  const std::vector<std::string> found = lines_of(out);
  const auto same = [&](const std::string& a, const std::string& b) { return exactly ? a == b : alike(a, b); };
  std::size_t at = 0;
  bool skip = false;
  for (const std::string& line : example.shown) {
    if (line == "...") {
      skip = true;
      continue;
    }
    while (skip && at < found.size() && !same(found[at], line)) ++at;
    skip = false;
    if (at == found.size() || !same(found[at], line))
      return ::testing::AssertionFailure() << "the page has\n" << line << "\nand the command prints\n" << out;
    ++at;
  }
  if (!skip && at != found.size())
    return ::testing::AssertionFailure() << "the page ends before\n" << found[at] << "\nof\n" << out;
  return ::testing::AssertionSuccess();
}

TEST(AttentionPage, ShowsWhatItsCommandsPrint) {
  const std::string folder = testing::fresh_folder("page");
  const std::vector<Example> examples = examples_of(read_file(std::string(TINYLM_SOURCE_DIR) + "/docs/attention.md"));
  EXPECT_GT(examples.size(), 10U);
  for (const Example& example : examples) {
    SCOPED_TRACE(example.command);
    const testing::Outcome outcome = testing::run_shell(folder, example.command);
    const bool fails = example.command == "tinylm inspect cheating --prompt \"The heron\" --check";
    EXPECT_EQ(outcome.exit_code, fails ? 1 : 0) << outcome.err;
    if (example.command.starts_with("tinylm sample")) {  // near ties fall either way on other processors
      ASSERT_FALSE(example.shown.empty());
      EXPECT_EQ(outcome.out.substr(0, 9), example.shown.front().substr(0, 9)) << outcome.err;
      EXPECT_EQ(outcome.out.size(), example.shown.front().size() + 1) << "as many characters: " << outcome.out;
    } else {
      EXPECT_TRUE(matches(outcome.out, example, example.command.starts_with("tinylm attend"))) << outcome.err;
    }
  }
  std::filesystem::remove_all(folder);
}

TEST(AttentionPage, IsComparedNumberByNumber) {
  EXPECT_TRUE(alike("loss   2.41 at", "loss 2.45 at"));
  EXPECT_FALSE(alike("loss 2.41", "loss 3.41"));
  EXPECT_FALSE(alike("loss 2.41", "gain 2.41"));
  EXPECT_TRUE(matches("a\nb\nc\n", {"", {"a", "...", "c"}}, true));
  EXPECT_TRUE(matches("a\nb\n", {"", {"a", "..."}}, true));
  EXPECT_FALSE(matches("a\nb\n", {"", {"a"}}, true));
  EXPECT_FALSE(matches("a\n", {"", {"a", "b"}}, true));
}

}  // namespace
}  // namespace tinylm
