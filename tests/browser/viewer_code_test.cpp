// The pages' own code: its form, what it may use, and its size. A stand-in for a linter, which would bring Node.js.
#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>

#include "core/files.h"
#include "viewer_page.h"

namespace tinylm {
extern const std::string_view kViewerPage;
}

namespace tinylm::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestLine = 120;
constexpr std::size_t kLongestFile = 300;
constexpr std::size_t kLargestPage = 120'000;

std::vector<fs::path> parts() {
  std::vector<fs::path> found;
  for (const char* folder : {"inspect/page", "inspect/viewer", "inspect/report"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(TINYLM_SOURCE_DIR) / folder)) {
      const std::string kind = entry.path().extension();
      if (kind == ".js" || kind == ".css" || kind == ".html") found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::istringstream text(read_file(file));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::size_t letters(const std::string& line) {
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

TEST(PageCode, IsOneSmallFile) {
  EXPECT_LE(kViewerPage.size(), kLargestPage);
  EXPECT_NE(kViewerPage.find("'use strict';"), std::string_view::npos);
}

TEST(PageCode, HasTidyLines) {
  ASSERT_GT(parts().size(), 20u);
  for (const fs::path& file : parts()) {
    const std::vector<std::string> lines = lines_of(file);
    EXPECT_LE(lines.size(), kLongestFile) << file;
    EXPECT_EQ(read_file(file).back(), '\n') << file;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string where = file.string() + ":" + std::to_string(i + 1) + ": " + lines[i];
      EXPECT_LE(letters(lines[i]), kLongestLine) << where;
      EXPECT_EQ(lines[i].find_first_of("\t\r"), std::string::npos) << where;
      EXPECT_TRUE(lines[i].empty() || lines[i].back() != ' ') << where;
    }
  }
}

TEST(PageCode, SaysWhatEachFileIsFor) {
  for (const fs::path& file : parts()) {
    if (file.extension() == ".html") continue;
    EXPECT_TRUE(std::regex_search(lines_of(file).at(0), std::regex(R"(^(// [A-Z]|/\* [A-Z]))"))) << file;
  }
}

TEST(PageCode, UsesNothingThatTakesTextForCodeOrMarkup) {
  const std::regex forbidden(
      R"(\bvar |[^=!]==[^=]|!=[^=]|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|)"
      R"(\bfetch\(|XMLHttpRequest|WebSocket|import\(|\bdebugger\b|console\.|localStorage|setAttribute\('on)");
  for (const fs::path& file : parts()) {
    if (file.extension() != ".js") continue;
    const std::vector<std::string> lines = lines_of(file);
    for (std::size_t i = 0; i < lines.size(); ++i)
      EXPECT_FALSE(std::regex_search(lines[i], forbidden)) << file << ":" << i + 1 << ": " << lines[i];
  }
}

// In one script, a second function of a name takes the place of the first without a word.
TEST(PageCode, GivesEachNameOnce) {
  const std::regex definition(R"(^(?:function\*?|const|let) (\w+))");
  for (const char* folder : {"viewer", "report"}) {
    std::map<std::string, fs::path> known;
    for (const fs::path& file : parts()) {
      const std::string place = file.parent_path().filename();
      if (file.extension() != ".js" || (place != folder && place != "page")) continue;
      for (const std::string& line : lines_of(file)) {
        std::smatch match;
        if (!std::regex_search(line, match, definition)) continue;
        EXPECT_TRUE(known.try_emplace(match[1], file).second)
            << match[1] << " is in " << file << " and in " << known[match[1]];
      }
    }
  }
}

// What is defined is used: nothing is left over from an earlier form of the page.
TEST(PageCode, HoldsNoUnusedFunctions) {
  const std::regex definition(R"(^(?:function\*?|const|let) (\w+))");
  const std::string page(kViewerPage);
  for (const fs::path& file : parts()) {
    if (file.extension() != ".js" || file.parent_path().filename() != "viewer") continue;
    for (const std::string& line : lines_of(file)) {
      std::smatch match;
      if (!std::regex_search(line, match, definition)) continue;
      const std::regex use("\\b" + match[1].str() + "\\b");
      const auto uses = std::distance(std::sregex_iterator(page.begin(), page.end(), use), std::sregex_iterator());
      EXPECT_GE(uses, 2) << match[1] << " of " << file << " is never used";
    }
  }
}

TEST(PageCode, ParsesByItself) {
  Browser& b = browser();
  b.open(fs::path(TINYLM_SOURCE_DIR) / "LICENSE");
  for (const fs::path& file : parts()) {
    if (file.extension() != ".js") continue;
    EXPECT_EQ(b.run("try { new Function('\"use strict\";' + arguments[0]); return ''; } catch (error) { return "
                    "String(error); }",
                    {read_file(file)}),
              "")
        << file;
  }
}

}  // namespace
}  // namespace tinylm::test
