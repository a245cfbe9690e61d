// The page of a real model: the same numbers as in the program's other files.
#include <cmath>
#include <cstring>

#include "core/files.h"
#include "inspect/npy.h"
#include "inspect/viewer/viewer_data.h"
#include "inspect/views.h"
#include "sample/sampler.h"
#include "test_support.h"
#include "viewer_page.h"

namespace tinylm::test {
namespace {

/// The numbers of an NPY file, after its header.
std::vector<float> npy_values(const std::filesystem::path& file) {
  const std::string bytes = read_file(file);
  const std::size_t begin =
      10U + static_cast<unsigned char>(bytes.at(8)) + 256U * static_cast<unsigned char>(bytes.at(9));
  std::vector<float> values((bytes.size() - begin) / sizeof(float));
  std::memcpy(values.data(), bytes.data() + begin, values.size() * sizeof(float));
  return values;
}

class ViewerProgram : public ViewerPage {
 protected:
  void SetUp() override {
    ViewerPage::SetUp();
    folder_ = fresh_folder();
    write_viewer_page({view_}, folder_ / "viewer.html");
    open_file(folder_ / "viewer.html", 1);
  }
  std::int64_t L() const { return view_.text.attention.size(0); }
  std::int64_t H() const { return view_.text.attention.size(1); }
  std::int64_t T() const { return view_.tokens(); }

  std::filesystem::path folder_;
  const View view_ = random_view();
};

TEST_F(ViewerProgram, HoldsTheWeightsOfTheNpyExport) {
  write_npy(view_, {"attention"}, folder_);
  const std::vector<float> exported = npy_values(folder_ / "attention.npy");
  const Json shown = b.value(
      "(() => { const view = views[0], all = []; for (let l = 0; l < view.L; ++l) for (let h = 0; h < view.H; ++h) {"
      "const map = attentionMap(view, l, h); for (let q = 0; q < view.T; ++q) for (let k = 0; k < view.T; ++k)"
      "all.push(k < map.end(q) ? map.value(q, k) : 0); } return all; })()");
  ASSERT_EQ(static_cast<std::int64_t>(exported.size()), L() * H() * T() * T());
  ASSERT_EQ(shown.size(), exported.size());
  for (std::size_t i = 0; i < exported.size(); ++i) ASSERT_NEAR(shown[i].get<double>(), exported[i], 1.6e-5) << i;
  // As they are packed, each row sums to exactly 65535.
  for (std::size_t row = 0; row < exported.size(); row += static_cast<std::size_t>(T())) {
    double sum = 0.0;
    for (std::int64_t k = 0; k < T(); ++k) sum += std::round(shown[row + k].get<double>() * 65535.0);
    ASSERT_EQ(sum, 65535.0) << row / T();
  }
}

TEST_F(ViewerProgram, OpensAtItsFinding) {
  EXPECT_EQ(text("h1"), view_.finding.sentence);
  expect_shown(head_name(view_.finding.head.layer, view_.finding.head.head), static_cast<int>(view_.finding.query));
  EXPECT_EQ(b.value("document.querySelector('.scores select').options.length"), view_.scores.size());
  EXPECT_EQ(b.value("document.querySelector('.scores select').value"), view_.finding.score);
}

TEST_F(ViewerProgram, ShowsTheProbabilitiesThatTheProgramSamplesFrom) {
  const int query = static_cast<int>(T()) / 2;
  const torch::Tensor logits = view_.text.logits[query].contiguous();
  const auto V = static_cast<std::size_t>(logits.size(0));
  const std::span<const float> row(logits.data_ptr<float>(), V);
  b.run("change({query: arguments[0], temperature: 0.7, topK: 0, topP: 0.8})", {query});
  const std::vector<double> model = Sampler({.temperature = 1.0}).probabilities(row);
  const std::vector<double> sampled = Sampler({.temperature = 0.7, .top_p = 0.8}).probabilities(row);
  const Json shown = b.value("sampledChances(modelChances(views[0], state.query), state)");
  ASSERT_EQ(shown.size(), V);
  for (const Json& token : shown) {
    const auto id = token["id"].get<std::size_t>();
    EXPECT_NEAR(token["model"].get<double>(), model[id], 1e-6) << id;
    EXPECT_NEAR(token["sampled"].get<double>(), sampled[id], 1e-6) << id;
  }
}

TEST_F(ViewerProgram, ShowsPartsThatSumToTheLogit) {
  const Json wrong = b.value(
      "(() => { const {attribution, T} = views[0]; return [...Array(T - 1).keys()].filter(q => Math.abs("
      "partsOf(views[0], q).reduce((sum, part) => sum + part.value, 0) - attribution.logits[q]) > 1e-4); })()");
  EXPECT_EQ(wrong, Json::array());
}

TEST_F(ViewerProgram, OpensEveryViewWithoutAComplaint) {
  for (const char* name : {"arcs", "heads", "rollout", "lens", "matrix"})
    b.run("change({view: arguments[0]}); render();", {name});
  for (const char* colour : {"zero", "mean", "looks", "loss"})
    b.run("change({strip: arguments[0]}); render();", {colour});
  for (const HeadScores& score : view_.scores) b.run("change({score: arguments[0]}); render();", {score.kind->id});
  EXPECT_EQ(b.complaints(), std::vector<std::string>());
}

}  // namespace
}  // namespace tinylm::test
