// The largest page: 12 layers of 12 heads over 256 tokens.
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
  for (int t = 0; t < 256; ++t) view.texts.push_back("t" + std::to_string(t % 40));
  view.vocabulary = 256;
  return view;
}

TEST_F(ViewerSize, IsDrawnWithinTwoSecondsAndThreeHundredMegabytes) {
  open(largest());
  const double drawn_ms = b.value("performance.getEntriesByName('drawn')[0].startTime");
  EXPECT_LT(drawn_ms, kDrawn_ms) << "from the beginning of loading";
  // All pictures together, thumbnails of 144 heads among them, each drawn and its pixels read back.
  const double views_ms = b.run(
      "const begin = performance.now(); for (const view of ['heads', 'rollout', 'lens', 'arcs', 'matrix']) {"
      "change({view}); render(); for (const canvas of document.querySelectorAll('canvas')) "
      "canvas.getContext('2d').getImageData(0, 0, 1, 1); }"
      "return performance.now() - begin;");
  EXPECT_LT(drawn_ms + views_ms, kDrawn_ms);
  const double peak_mib = b.renderer_peak_mib();
  EXPECT_GT(peak_mib, 30.0) << "a browser's process was found";
  EXPECT_LT(peak_mib, kMemory_MiB);
  RecordProperty("drawn_ms", std::to_string(drawn_ms));
  RecordProperty("views_ms", std::to_string(views_ms));
  RecordProperty("peak_mib", std::to_string(peak_mib));
}

TEST_F(ViewerSize, FollowsThePointerAtOnce) {
  open(largest());
  const double step_ms = b.run(
      "const begin = performance.now(); for (let i = 0; i < 20; ++i) { hover({query: 100 + i, key: i}); render(); }"
      "document.querySelector('canvas.matrix').getContext('2d').getImageData(0, 0, 1, 1); return (performance.now() - "
      "begin) / 20;");
  EXPECT_LT(step_ms, 100.0) << "a preview as slow as this is felt";
  RecordProperty("step_ms", std::to_string(step_ms));
}

}  // namespace
}  // namespace tinylm::test
