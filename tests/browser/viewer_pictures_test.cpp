// The pictures: known weights have known colours, in both themes.
#include <cmath>

#include "viewer_page.h"

namespace tinylm::test {
namespace {

using Stops = std::array<std::array<double, 3>, 4>;

/// The blue scales of inspect/viewer/colour.js, from nothing to all.
constexpr Stops kLight = {{{236, 241, 247}, {158, 197, 232}, {59, 125, 196}, {8, 48, 107}}};
constexpr Stops kDark = {{{40, 45, 53}, {31, 82, 133}, {78, 148, 220}, {214, 236, 255}}};

/// Opaque, and each channel within 2 of the scale's colour at `place`, 0 to 1.
void expect_colour(const Json& pixel, const Stops& stops, double place, const std::string& where) {
  const double at = place * 3.0;
  const auto below = static_cast<std::size_t>(std::min(2.0, std::floor(at)));
  for (std::size_t channel = 0; channel < 3; ++channel) {
    const double low = stops[below][channel], high = stops[below + 1][channel];
    EXPECT_NEAR(pixel[channel].get<double>(), low + (at - static_cast<double>(below)) * (high - low), 2.0)
        << where << ", channel " << channel;
  }
  EXPECT_EQ(pixel[3], 255) << where;
}

class ViewerPictures : public ViewerPage {
 protected:
  /// L1H0 gives half to the first token and half to the token itself.
  void expect_head_of_halves(const Stops& stops) {
    b.run("change({layer: 1, head: 0, query: 0, curve: 'sqrt'}); render();");
    expect_colour(pixel_of_cell(4, 0), stops, std::sqrt(0.5), "half");
    expect_colour(pixel_of_cell(4, 4), stops, std::sqrt(0.5), "the other half");
    expect_colour(pixel_of_cell(4, 2), stops, 0.0, "nothing");
    expect_colour(pixel_of_cell(0, 0), stops, 1.0, "all");
    b.run("change({curve: 'linear'})");
    expect_colour(pixel_of_cell(4, 0), stops, 0.5, "half, linear");
    b.run("change({curve: 'log'})");
    expect_colour(pixel_of_cell(4, 0), stops, 1.0 + std::log10(0.5) / 4.0, "half, log");
    expect_colour(pixel_of_cell(4, 2), stops, 0.0, "nothing, log");
    for (int query = 0; query < 5; ++query) EXPECT_EQ(pixel_of_cell(query, query + 1)[3], 0) << "masked: blank";
  }
};

TEST_F(ViewerPictures, HaveTheColoursOfTheWeightsInBothThemes) {
  open();
  expect_head_of_halves(kLight);
  b.prefer("dark");
  b.wait_until("document.documentElement.dataset.theme === 'dark'");
  expect_head_of_halves(kDark);
}

TEST_F(ViewerPictures, HaveTheColoursOfValueWeightedNumbers) {
  open();
  // The greatest: weight 1 of the last head on the last token, 1 + 1 + 0.5 + 5/4 = 3.75.
  b.run("change({layer: 0, head: 0, weights: 'value_weighted', curve: 'linear', query: 0})");
  expect_colour(pixel_of_cell(5, 4), kLight, 2.0 / 3.75, "weight 1 on a vector of length 1 + 4/4");
}

TEST_F(ViewerPictures, ShowRolloutOverUniformHeads) {
  open(MadeView{}, "#view=rollout&query=5&key=0");
  b.wait_until("document.querySelector('.centre .readout').innerText.includes('0.5 times what uniform heads')");
  const Json equal = pixel_of_cell(4, 2), less = pixel_of_cell(4, 0);
  EXPECT_NEAR(equal[0].get<double>(), 240, 2) << "as much as uniform heads: neutral";
  EXPECT_NEAR(equal[2].get<double>(), 238, 2);
  // log2(1/2) of -3 to 3: a sixth of the scale below its middle, one third of the way from the second of five colours
  // to the third.
  EXPECT_NEAR(less[0].get<double>(), 110 + (240 - 110) / 3.0, 2);
  EXPECT_NEAR(less[2].get<double>(), 216 + (238 - 216) / 3.0, 2);
}

TEST_F(ViewerPictures, ShowThumbnailsOfAllHeads) {
  open(MadeView{}, "#view=heads&curve=linear");
  const Json corners = b.run(
      "render(); const canvas = document.querySelector('canvas.heads'), pen = canvas.getContext('2d');"
      "const {edge, step, side} = Object.fromEntries(Object.entries(canvas.dataset).map(([name, text]) => [name, "
      "Number(text)]));"
      "const at = (layer, head, x, y) => Array.from(pen.getImageData(edge + head * step + x * side, edge + layer * "
      "step + y * side, 1, 1).data);"
      "return [at(1, 0, 0.03, 0.97), at(1, 1, 0.03, 0.97), at(1, 1, 0.97, 0.97), at(0, 1, 0.9, 0.1)];");
  expect_colour(corners[0], kLight, 0.5, "L1H0, last token to the first");
  expect_colour(corners[1], kLight, 0.0, "L1H1, last token to the first");
  expect_colour(corners[2], kLight, 1.0, "L1H1, last token to itself");
  EXPECT_EQ(corners[3][3], 0) << "masked: blank";
}

TEST_F(ViewerPictures, KeepTheGreatestWeightWhereCellsAreSmallerThanPixels) {
  MadeView view;
  view.heads = 1;
  view.layers = 1;
  view.texts.assign(300, "a");
  open(view);
  // A head that looks at the token before: every cell beside the diagonal is 1, also when 300 tokens share 100 cells.
  EXPECT_EQ(b.value("(() => { const values = pooled(attentionMap(views[0], 0, 0), 100); let least = 2;"
                    "for (let i = 0; i < 100; ++i) least = Math.min(least, values[i * 101]); return least; })()"),
            1);
  EXPECT_EQ(b.value("pooled(attentionMap(views[0], 0, 0), 100)[1]"), nullptr) << "above the diagonal there is nothing";
}

TEST_F(ViewerPictures, DrawTheChosenTokensArcs) {
  open(MadeView{}, "#view=arcs&layer=1&head=0&query=4");
  b.wait_until("document.querySelectorAll('[data-arc^=\"4 \"]').length === 2");
  EXPECT_EQ(b.value("[...document.querySelectorAll('[data-arc^=\"4 \"]')].map(arc => arc.dataset.arc).sort()"),
            Json({"4 0", "4 4"}));
  EXPECT_EQ(b.value("document.querySelector('[data-arc=\"4 0\"]').getAttribute('stroke-width')"), "2.60")
      << "0.6 + 4 times a half";
}

TEST_F(ViewerPictures, DecodeEveryWeightExactly) {
  MadeView view;
  view.layers = 3;
  view.texts.assign(17, "a");
  open(view);
  const Json sums = b.value(
      "(() => { const all = []; for (let l = 0; l < 3; ++l) for (let h = 0; h < 2; ++h) for (let q = 0; q < 17; ++q) {"
      "let sum = 0; for (let k = 0; k <= q; ++k) sum += views[0].attention[(l * 2 + h) * 153 + rowStart(q, 17, false) "
      "+ k];"
      "all.push(sum); } return all; })()");
  for (const Json& sum : sums) EXPECT_EQ(sum, 65535);
  for (const int layer : {0, 2}) {
    for (const int query : {0, 5, 16}) {
      for (int key = 0; key <= query; ++key) {
        const Json weight =
            b.run("return attentionMap(views[0], arguments[0], 1).value(arguments[1], arguments[2]) * 65535",
                  {layer, query, key});
        EXPECT_NEAR(weight.get<double>(), view.weight(layer, 1, query, key), 1e-9);
      }
    }
  }
}

TEST_F(ViewerPictures, PrintReadableNumbersOnEveryColour) {
  open();
  // WCAG's contrast of ink and colour, over all colours of all scales.
  const Json least = b.value(
      "(() => { const light = c => (c /= 255, c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);"
      "const shine = rgb => 0.2126 * light(rgb[0]) + 0.7152 * light(rgb[1]) + 0.0722 * light(rgb[2]); let least = 99;"
      "for (const scales of Object.values(colourTables)) for (const table of Object.values(scales)) for (let i = 0; i "
      "< table.length; i += 3) {"
      "const rgb = [...table.slice(i, i + 3)], ink = inkOn(rgb) === '#000000' ? 0 : 1, one = shine(rgb);"
      "least = Math.min(least, (Math.max(one, ink) + 0.05) / (Math.min(one, ink) + 0.05)); } return least; })()");
  EXPECT_GE(least.get<double>(), 4.5);
}

}  // namespace
}  // namespace tinylm::test
