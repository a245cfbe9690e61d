// The largest page: 12 layers of 12 heads over 256 tokens.
#include <algorithm>

#include "viewer_page.h"

namespace tinylm::test {
namespace {

class ViewerSize : public ViewerPage {};

constexpr double kDrawn_ms = 2000.0;
constexpr double kMemory_MiB = 300.0;

MadeView largest() {
  MadeView view;
  view.layers = view.heads = 12;
  view.texts.clear();
  for (int t = 0; t < 256; ++t) view.texts.push_back("↵" + std::to_string(t % 40));
  view.vocabulary = 256;
  return view;
}

// The first, as the memory is that of the whole life of the browser.
TEST_F(ViewerSize, TakesNoMoreThanThreeHundredMegabytes) {
  open(largest());
  for (const char* view : {"heads", "rollout", "lens", "arcs", "matrix"})
    b.run("change({view: arguments[0]}); render();", {view});
  const double peak_mib = b.renderer_peak_mib();
  RecordProperty("peak_mib", std::to_string(peak_mib));
  EXPECT_GT(peak_mib, 30.0) << "a browser's process was found";
  EXPECT_LT(peak_mib, kMemory_MiB);
}

// The best of three, since other programs run as well.
TEST_F(ViewerSize, IsDrawnWithinTwoSeconds) {
  double drawn_ms = 1e9, views_ms = 1e9, preview_ms = 1e9;
  for (int round = 0; round < 3; ++round) {
    open(largest());
    drawn_ms = std::min(drawn_ms, b.value("performance.getEntriesByName('drawn')[0].startTime").get<double>());
    // Pixels are read back, so that what was drawn is there. The thumbnails of 144 heads are among the views.
    const std::string read_back =
        "for (const canvas of document.querySelectorAll('canvas')) canvas.getContext('2d').getImageData(0, 0, 1, 1);";
    views_ms = std::min(views_ms, b.run("const begin = performance.now();"
                                        "for (const view of ['heads', 'rollout', 'lens', 'arcs', 'matrix']) {"
                                        "change({view}); render();" +
                                        read_back + "} return performance.now() - begin;")
                                      .get<double>());
    preview_ms = std::min(preview_ms, b.run("const begin = performance.now(); for (let i = 0; i < 20; ++i) {"
                                            "hover({query: 100 + i, key: i}); render();" +
                                            read_back + "} return (performance.now() - begin) / 20;")
                                          .get<double>());
  }
  RecordProperty("drawn_ms", std::to_string(drawn_ms));
  RecordProperty("views_ms", std::to_string(views_ms));
  RecordProperty("preview_ms", std::to_string(preview_ms));
  EXPECT_LT(drawn_ms, kDrawn_ms) << "from the beginning of loading";
  EXPECT_LT(views_ms, kDrawn_ms) << "all other views";
  EXPECT_LT(preview_ms, 100.0) << "what follows the pointer later than this is felt";
}

}  // namespace
}  // namespace tinylm::test
