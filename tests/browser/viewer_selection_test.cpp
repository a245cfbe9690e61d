// One choice of head and token links all panels: by pointer, by click and by key.
#include "viewer_page.h"

namespace tinylm::test {
namespace {

class ViewerSelection : public ViewerPage {};

TEST_F(ViewerSelection, IsPreviewedByThePointerAndPinnedByAClick) {
  open();
  b.move_to("[data-head=L1H1]");
  expect_shown("L1H1", 5);
  b.move_to("h1");
  expect_shown("L0H0", 5);
  b.click("[data-head=L1H0]");
  b.move_to("h1");
  expect_shown("L1H0", 5);
}

TEST_F(ViewerSelection, FollowsTheTokenUnderThePointer) {
  open();
  b.move_to("[role=option][data-token='2']");
  expect_shown("L0H0", 2);
  b.move_to("h1");
  expect_shown("L0H0", 5);
  b.click("[role=option][data-token='3']");
  b.move_to("h1");
  expect_shown("L0H0", 3);
}

TEST_F(ViewerSelection, FollowsTheCellOfTheHeatMap) {
  open();
  const auto cell = place_of_cell(4, 3);
  b.move_to(cell[0], cell[1]);
  expect_shown("L0H0", 4);
  EXPECT_NE(text(".centre .readout").find("(4) looks at “\u2068_\u2069” (3): 100.0\u00A0%"), std::string::npos)
      << text(".centre .readout");
  const auto masked = place_of_cell(1, 4);
  b.move_to(masked[0], masked[1]);
  expect_shown("L0H0", 5);
  b.move_to(cell[0], cell[1]);
  b.click();
  b.move_to("h1");
  expect_shown("L0H0", 4);
}

TEST_F(ViewerSelection, FollowsThumbnailsArcsAndTheLens) {
  open();
  b.click("[data-choice='view heads']");
  b.wait_until("document.querySelector('canvas.heads')");
  b.move_to("canvas.heads");
  const Json place = b.run(
      "render(); const canvas = document.querySelector('canvas.heads'), box = canvas.getBoundingClientRect();"
      "const {edge, step} = canvas.dataset; return [box.x + Number(edge) + 1.4 * step, box.y + Number(edge) + 1.4 * "
      "step];");
  b.move_to(place[0], place[1]);
  b.click();
  b.click("[data-choice='view arcs']");
  expect_shown("L1H1", 5);
  b.click(".arcs [data-token='1']");
  b.move_to("h1");
  expect_shown("L1H1", 1);
  b.click("[data-choice='view lens']");
  b.wait_until("document.querySelector('[data-cell=\"2 3\"]')");
  b.click("[data-cell='2 3']");
  b.click("[data-choice='view matrix']");
  expect_shown("L1H1", 3);
}

// The fixture's likeliest tokens of a cell are its number and the ones after it, each with half over its rank.
TEST_F(ViewerSelection, ShowsInTheLensAsManyTokensAsThereAre) {
  open(MadeView{.vocabulary = 3}, "#view=lens&query=1");
  b.wait_until("document.querySelector('[data-cell=\"2 3\"]')");
  EXPECT_EQ(b.value("[...document.querySelectorAll('table.detail th[scope=col]')].map(head => head.innerText)"),
            Json({"", "true token", "1st", "2nd", "3rd", "entropy, nats"}));
  EXPECT_EQ(text("[data-cell='2 3']"), b.value("labelOf(views[0], (2 * 6 + 3) % 3)"));
  EXPECT_EQ(b.value("[...document.querySelectorAll('table.detail tbody tr:last-child td')].slice(1, 4)"
                    ".map(cell => cell.innerText.split(' ').pop())"),
            Json({"50.0\u00A0%", "25.0\u00A0%", "16.7\u00A0%"}));
}

TEST_F(ViewerSelection, ReachesByKeysWhatOnlyTheSecondViewHas) {
  open_views({view_json({.layers = 1}), view_json({.layers = 3})});
  b.press("ArrowDown");
  b.press("ArrowDown");
  b.wait_until("state.layer === 2 && !renderAsked");
  EXPECT_EQ(b.value("[...document.querySelectorAll('.centre h2')].map(name => name.innerText)"),
            Json({"L0H0", "L2H0"}));
}

TEST_F(ViewerSelection, HearsItsKeysWhileASliderHasTheFocus) {
  open();
  b.run("document.querySelector('[data-choice=temperature]').focus()");
  b.press("v");
  b.wait_until("state.view === 'arcs' && !renderAsked");
  b.press("ArrowRight");
  b.wait_until("state.temperature > 0.8 && state.query === 5");
}

TEST_F(ViewerSelection, MovesByKeys) {
  open();
  b.press("ArrowLeft");
  expect_shown("L0H0", 4);
  b.press("ArrowDown");
  expect_shown("L1H0", 4);
  b.press("]");
  expect_shown("L1H1", 4);
  b.press("ArrowDown");
  b.press("]");
  expect_shown("L1H1", 4);  // there are no more
  b.press("Home");
  expect_shown("L1H1", 0);
  b.press("End");
  expect_shown("L1H1", 5);
  b.press("n");
  expect_shown("L0H0", 5);
}

TEST_F(ViewerSelection, MovesOnTheMapWhileTheMapHasTheFocus) {
  open();
  b.run("document.querySelector('[data-head=L0H0]').focus()");
  b.press("ArrowRight");
  expect_shown("L0H1", 5);
  b.press("ArrowDown");
  expect_shown("L1H1", 5);
  EXPECT_EQ(b.value("document.activeElement.dataset.head"), "L1H1");
}

TEST_F(ViewerSelection, KeysReachViewsScoresAndColours) {
  open();
  b.press("v");
  b.wait_until("document.querySelector('svg.arcs')");
  b.press("V");
  b.wait_until("document.querySelector('canvas.matrix')");
  b.press("s");
  b.wait_until("document.querySelector('.scores select').value === 'induction_text'");
  b.press("c");
  b.wait_until("document.querySelector('[data-choice=\"curve log\"]').getAttribute('aria-pressed') === 'true'");
  b.press("w");
  b.wait_until("document.querySelector('.centre .readout').innerText.includes('a vector of length')");
  b.press("t");
  b.wait_until("document.querySelector('.tokens select').value === 'zero'");
  b.press(",");
  b.wait_until("document.querySelector('.centre .readout').innerText.includes('looks at')");
  b.press("+");
  b.wait_until("document.querySelector('[data-choice=temperature]').value === '0.85'");
  b.press("<");
  b.wait_until("document.querySelector('.training output').innerText === 'step 100'");
}

TEST_F(ViewerSelection, LeavesKeysToTheSlidersThatHaveTheFocus) {
  open();
  b.run("document.querySelector('[data-choice=temperature]').focus()");
  b.press("ArrowLeft");
  b.wait_until("state.temperature === 0.75");
  expect_shown("L0H0", 5);
}

TEST_F(ViewerSelection, ShowsItsKeys) {
  open();
  b.press("?");
  b.wait_until("document.getElementById('help').open");
  EXPECT_EQ(b.value("document.querySelectorAll('#help tr').length === keyTable.length"), true);
  b.press("v");
  EXPECT_EQ(b.value("state.view"), "matrix") << "keys rest while they are shown";
  b.press("Escape");
  b.wait_until("!document.getElementById('help').open");
}

TEST_F(ViewerSelection, ColoursTokensByWhatRemovingTheHeadDoes) {
  open();
  b.run("change({strip: 'zero', layer: 0, head: 0}); render();");
  // 0.1 nats a position: the last is the scale's end on the orange side, and on the blue one for the next head.
  EXPECT_EQ(b.value("document.querySelector('[data-token=\"5\"]').style.background"), "rgb(150, 58, 0)");
  EXPECT_EQ(b.value("document.querySelector('[data-token=\"0\"]').style.background"), "")
      << "the first token has no loss";
  b.run("change({head: 1}); render();");
  EXPECT_EQ(b.value("document.querySelector('[data-token=\"5\"]').style.background"), "rgb(8, 64, 129)");
}

TEST_F(ViewerSelection, ShowsHeadsFormingInTraining) {
  open();
  b.run("change({score: 'previous', step: 1}); render();");
  EXPECT_EQ(text("[data-head=L1H1]"), ".07") << "value 4 + 3 of 0.00, 0.01, ...";
  EXPECT_EQ(text(".base"),
            "Rows: layers, columns: heads, counted from 0. Taken during training, on random tokens that come "
            "twice.");
  EXPECT_EQ(count(".scores .notch"), 0u) << "chance is that of the text";
  b.run("change({step: -1}); render();");
  EXPECT_EQ(text("[data-head=L1H1]"), ".30") << "the model as it is";
}

TEST_F(ViewerSelection, ShowsThePartsOfTheTrueTokensLogit) {
  open();
  b.run("change({query: 2}); render();");
  EXPECT_EQ(b.value("[...document.querySelectorAll('.part')].map(part => part.lastChild.innerText)"),
            Json({"+5.00", "-4.00", "+3.00", "-2.00", "+1.00"}));
  EXPECT_NE(text(".attribution .told").find(": 3, the sum of all parts"), std::string::npos)
      << text(".attribution .told");
  b.click("button.part");  // the strongest head, L1H1
  b.move_to("h1");
  expect_shown("L1H1", 2);
}

}  // namespace
}  // namespace tinylm::test
