// What the page exports opens again and holds what was shown.
#include <fstream>
#include <sstream>

#include "core/files.h"
#include "test_support.h"
#include "viewer_page.h"

namespace tinylm::test {
namespace {

class ViewerExport : public ViewerPage {
 protected:
  /// Presses a panel's button; gives the file that arrives.
  std::filesystem::path saved(const std::string& button, const std::string& file) {
    const std::filesystem::path folder = fresh_folder() / "saved";
    std::filesystem::create_directories(folder);
    b.save_to(folder);
    b.run("document.querySelector(arguments[0]).click()", {"[data-save='" + button + "']"});
    const std::filesystem::path path = folder / file;
    for (int tries = 0; tries < 1500 && !std::filesystem::exists(path); ++tries) b.wait_until("true");
    EXPECT_TRUE(std::filesystem::exists(path)) << button;
    return path;
  }
  /// Rows of fields; understands quotes.
  static std::vector<std::vector<std::string>> rows_of(const std::string& csv) {
    std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
    bool quoted = false;
    for (std::size_t i = 0; i < csv.size(); ++i) {
      const char c = csv[i];
      if (quoted && c == '"' && i + 1 < csv.size() && csv[i + 1] == '"')
        rows.back().back() += csv[++i];
      else if (c == '"')
        quoted = !quoted;
      else if (!quoted && c == ',')
        rows.back().emplace_back();
      else if (!quoted && c == '\r')
        continue;
      else if (!quoted && c == '\n')
        rows.emplace_back(1);
      else
        rows.back().back() += c;
    }
    rows.pop_back();
    return rows;
  }
};

TEST_F(ViewerExport, WritesTheHeatMapsNumbers) {
  MadeView view;
  view.texts = {"a", "\"quoted\"", "with, comma", "line\nend", "é"};
  open(view);
  b.run("change({layer: 1, head: 0}); render();");
  const auto rows = rows_of(read_file(saved("centre CSV", "matrix.csv")));
  ASSERT_EQ(rows.size(), 1u + 15u) << "the lower triangle and a head line";
  EXPECT_EQ(rows[0], (std::vector<std::string>{"query", "key", "query_token", "key_token", "weight"}));
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const int query = std::stoi(rows[i][0]), key = std::stoi(rows[i][1]);
    EXPECT_EQ(rows[i][2], view.texts[query]);
    EXPECT_EQ(rows[i][3], view.texts[key]);
    EXPECT_NEAR(std::stod(rows[i][4]), view.weight(1, 0, query, key) / 65535.0, 1e-12);
  }
}

TEST_F(ViewerExport, WritesEveryPanelsNumbers) {
  open(MadeView{}, "#query=2");
  const auto tokens = rows_of(read_file(saved("tokens CSV", "tokens.csv")));
  EXPECT_EQ(tokens.at(3), (std::vector<std::string>{"2", "0", "a", "1", "0.20000000298023224", "0.20000000298023224"}));
  const auto scores = rows_of(read_file(saved("scores CSV", "scores.csv")));
  EXPECT_EQ(scores.at(0), (std::vector<std::string>{"head", "previous", "induction_text", "ablation_zero"}));
  EXPECT_EQ(scores.at(3), (std::vector<std::string>{"L1H0", "0.2", "", "0.3"}));
  b.run("change({step: 1}); render();");
  EXPECT_NEAR(std::stod(rows_of(read_file(saved("scores CSV", "scores.csv"))).at(3).at(1)), 0.06, 1e-6)
      << "as the map shows it: value 4 + 2 of 0.00, 0.01, ...";
  EXPECT_EQ(rows_of(read_file(saved("next CSV", "next.csv"))).size(), 9u);
  EXPECT_EQ(rows_of(read_file(saved("row CSV", "row.csv"))).at(1), (std::vector<std::string>{"1", "b", "1", "1.25"}));
  EXPECT_EQ(rows_of(read_file(saved("attribution CSV", "attribution.csv"))).back(),
            (std::vector<std::string>{"sum", "3"}));
  b.run("change({view: 'lens'}); render();");
  EXPECT_EQ(rows_of(read_file(saved("centre CSV", "lens.csv"))).size(), 1u + 3u * 6u);
}

TEST_F(ViewerExport, WritesPicturesThatOpenAgain) {
  open();
  const Json size =
      b.value("[document.querySelector('canvas.matrix').width, document.querySelector('canvas.matrix').height]");
  const std::filesystem::path picture = saved("centre PNG", "matrix.png");
  b.open(picture);
  b.wait_until("document.images.length === 1 && document.images[0].complete");
  EXPECT_EQ(b.value("[document.images[0].naturalWidth, document.images[0].naturalHeight]"), size);
}

TEST_F(ViewerExport, WritesThumbnails) {
  open(MadeView{}, "#view=heads");
  b.open(saved("centre PNG", "heads.png"));
  b.wait_until("document.images.length === 1 && document.images[0].naturalWidth > 50");
}

TEST_F(ViewerExport, WritesDrawingsThatOpenAgain) {
  open(MadeView{}, "#view=arcs&layer=1&head=0&query=4");
  b.wait_until("document.querySelectorAll('[data-arc]').length > 0");
  const Json arcs = b.value("document.querySelectorAll('[data-arc]').length");
  b.open(saved("centre SVG", "arcs.svg"));
  b.wait_until("document.documentElement.nodeName === 'svg'");
  EXPECT_EQ(b.value("document.querySelectorAll('path').length"), arcs);
  EXPECT_EQ(b.value("document.querySelectorAll('text').length"), 6);
}

}  // namespace
}  // namespace tinylm::test
