// The next token: the page's probabilities are those of the program.
#include <algorithm>
#include <cmath>

#include "sample/sampler.h"
#include "viewer_page.h"

namespace tinylm::test {
namespace {

class ViewerSampling : public ViewerPage {
 protected:
  static std::vector<float> logits_at(const MadeView& view, int t) {
    std::vector<float> logits;
    for (int id = 0; id < view.vocabulary; ++id) logits.push_back(view.logit(t, id));
    return logits;
  }
  /// The bars of a kind, "model" or "sampled": {id: probability}.
  Json bars(const std::string& kind) {
    return b.run(
        "render(); return Object.fromEntries([...document.querySelectorAll('.chances [data-id]')]"
        ".map(row => [row.dataset.id, Number(row.querySelector('.' + arguments[0] + ' i').dataset.chance)]));",
        {kind});
  }
  void expect_bars(const Json& shown, const std::vector<double>& expected) {
    ASSERT_EQ(shown.size(), expected.size());
    for (const auto& [id, chance] : shown.items())
      EXPECT_NEAR(chance.get<double>(), expected[std::stoul(id)], 1e-6) << "token " << id;
  }
};

TEST_F(ViewerSampling, ShowsTheModelsOwnProbabilities) {
  const MadeView view;
  open(view);
  for (const int query : {0, 3}) {
    b.run("change({query: arguments[0], temperature: 1, topK: 0, topP: 1})", {query});
    const std::vector<double> expected = Sampler({.temperature = 1.0}).probabilities(logits_at(view, query));
    expect_bars(bars("model"), expected);
    expect_bars(bars("sampled"), expected);
  }
}

TEST_F(ViewerSampling, CutsOffAsTheProgramDoes) {
  const MadeView view;
  open(view);
  for (const double temperature : {0.05, 0.8, 2.0}) {
    for (const int top_k : {0, 1, 3, 100}) {
      for (const double top_p : {0.01, 0.5, 0.9, 1.0}) {
        SCOPED_TRACE(std::to_string(temperature) + " " + std::to_string(top_k) + " " + std::to_string(top_p));
        b.run("change({query: 2, temperature: arguments[0], topK: arguments[1], topP: arguments[2]})",
              {temperature, top_k, top_p});
        expect_bars(
            bars("sampled"),
            Sampler({.temperature = temperature, .top_k = top_k, .top_p = top_p}).probabilities(logits_at(view, 2)));
      }
    }
  }
}

TEST_F(ViewerSampling, IsOneBarWhenGreedy) {
  open();
  b.run("change({temperature: 0})");
  const Json sampled = bars("sampled");
  EXPECT_EQ(std::count_if(sampled.begin(), sampled.end(), [](const Json& chance) { return chance == 1.0; }), 1);
  EXPECT_EQ(std::count_if(sampled.begin(), sampled.end(), [](const Json& chance) { return chance == 0.0; }), 7);
  EXPECT_EQ(text(".next output"), "0: greedy");
}

TEST_F(ViewerSampling, StaysFiniteForExtremeLogits) {
  open();
  b.run(
      "for (let i = 0; i < views[0].next.logits.length; ++i) views[0].next.logits[i] = (i % 3 - 1) * 3e38;"
      "change({query: 1, temperature: 0.05})");
  for (const char* kind : {"model", "sampled"}) {
    double sum = 0.0;
    const Json shown = bars(kind);
    for (const auto& [id, chance] : shown.items()) {
      ASSERT_TRUE(chance.is_number()) << kind << " " << id;
      sum += chance.get<double>();
    }
    EXPECT_NEAR(sum, 1.0, 1e-9) << kind;
  }
}

TEST_F(ViewerSampling, MarksTheTrueTokenAlsoWhenItIsUnlikely) {
  MadeView view;
  view.vocabulary = 30;
  open(view);
  b.run("change({query: 2})");  // after "a" comes " ", which is id 2
  b.wait_until("document.querySelector('.chances .true')");
  EXPECT_EQ(b.value("document.querySelector('.chances .true').dataset.id"), "2");
  const std::vector<float> logits = logits_at(view, 2);
  const auto rank = 1 + std::count_if(logits.begin(), logits.end(), [&](float logit) { return logit > logits[2]; });
  EXPECT_NE(text(".next .told").find("no. " + std::to_string(rank)), std::string::npos) << text(".next .told");
  EXPECT_EQ(count(".chances [data-id]"), 10u);
  b.press("End");
  b.wait_until("document.querySelector('.next .told').innerText.includes('the text ends here')");
  EXPECT_EQ(count(".chances .true"), 0u);
}

TEST_F(ViewerSampling, CountsTheRestOfALargeVocabulary) {
  Json view = view_json({});
  // At each position tokens 7 and 3 with logits ln 4 and ln 2, and others that together weigh 2: 1/2, 1/4, and 1/4
  // unseen.
  const std::string twice = b.run(
      "return btoa(String.fromCharCode(...new Uint8Array(new Float32Array(Array(6).fill([Math.log(4), "
      "Math.log(2)]).flat()).buffer)))");
  const std::string ids =
      b.run("return btoa(String.fromCharCode(...new Uint8Array(new Int32Array(Array(6).fill([7, 3]).flat()).buffer)))");
  const std::string rest =
      b.run("return btoa(String.fromCharCode(...new Uint8Array(new Float32Array(Array(6).fill(Math.log(2))).buffer)))");
  view["next"] = {{"logits", twice}, {"ids", ids}, {"kept", 2}, {"vocabulary", 50000}, {"rest", rest}};
  open_views({view});
  b.run("change({temperature: 1})");
  for (const char* kind : {"model", "sampled"}) {
    const Json shown = bars(kind);
    EXPECT_NEAR(shown["7"].get<double>(), 0.5, 1e-6) << kind;
    EXPECT_NEAR(shown["3"].get<double>(), 0.25, 1e-6) << kind;
  }
  b.run("change({topK: 2})");
  EXPECT_NEAR(bars("sampled")["7"].get<double>(), 2.0 / 3.0, 1e-6);
  b.run("change({topK: 0, temperature: 0.5})");
  EXPECT_NEAR(bars("sampled")["7"].get<double>(), 0.8, 1e-6) << "16 of 16 + 4";
  EXPECT_NE(text(".next").find("counts the 2 likeliest of 50,000 tokens"), std::string::npos);
}

}  // namespace
}  // namespace tinylm::test
