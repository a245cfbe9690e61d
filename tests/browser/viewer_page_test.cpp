// The page as it opens: what it loads, what it shows before any click, and at which sizes.
#include "viewer_page.h"

namespace tinylm::test {
namespace {

class ViewerOpening : public ViewerPage {};

TEST_F(ViewerOpening, LoadsNothingButItself) {
  open();
  for (const char* view : {"arcs", "heads", "rollout", "lens", "matrix"}) {
    b.click("[data-choice='view " + std::string(view) + "']");
    b.wait_until("state.view === '" + std::string(view) + "' && !renderAsked");
  }
  EXPECT_EQ(b.complaints(), std::vector<std::string>());
  const std::vector<std::string> requests = b.requests();
  ASSERT_FALSE(requests.empty());
  for (const std::string& address : requests) {
    const bool own = address.rfind("file:///", 0) == 0 && address.find("/viewer.html") != std::string::npos;
    EXPECT_TRUE(own || address.rfind("data:", 0) == 0) << address;
  }
}

TEST_F(ViewerOpening, RunsNoScriptButItsOwn) {
  open();
  b.run(
      "window.ran = false; const other = document.createElement('script'); other.textContent = 'ran = true';"
      "document.body.append(other);");
  std::vector<std::string> complaints;
  for (int tries = 0; tries < 500 && complaints.empty(); ++tries) complaints = b.complaints();
  ASSERT_EQ(complaints.size(), 1u);
  EXPECT_NE(complaints[0].find("Content Security Policy"), std::string::npos) << complaints[0];
  EXPECT_EQ(b.value("window.ran"), false);
}

TEST_F(ViewerOpening, PassesOverNumbersInItsAddressThatNoTokenHas) {
  open(MadeView{}, "#query=1.5&head=0.5&layer=1&temperature=0.5");
  expect_shown("L1H0", 5);
  EXPECT_EQ(b.value("state.temperature"), 0.5);
  EXPECT_EQ(b.complaints(), std::vector<std::string>());
}

TEST_F(ViewerOpening, BeginsWithTheHeadThatWasAskedFor) {
  Json view = view_json({});
  view["opening"] = {{"layer", 1}, {"head", 1}};
  open_views({view});
  expect_shown("L1H1", 5);
  b.press("n");
  expect_shown("L0H0", 5);
}

TEST_F(ViewerOpening, ForbidsScriptsAndPicturesFromElsewhere) {
  open();
  b.run(
      "const image = document.createElement('img'); image.src = 'http://127.0.0.1:9/x.png'; "
      "document.body.append(image);"
      "window.ran = false; const other = document.createElement('script'); other.src = 'data:text/javascript,ran=true';"
      "document.body.append(other);");
  std::vector<std::string> complaints;
  for (int tries = 0; tries < 500 && complaints.size() < 2; ++tries) {
    for (const std::string& one : b.complaints()) complaints.push_back(one);
  }
  ASSERT_EQ(complaints.size(), 2u) << "one for each";
  for (const std::string& one : complaints) EXPECT_NE(one.find("Content Security Policy"), std::string::npos) << one;
  EXPECT_EQ(b.value("window.ran"), false);
}

TEST_F(ViewerOpening, ShowsWhichHeadToLookAt) {
  Json view = view_json({});
  view["finding"] = {{"sentence", "L1H0 matters most."}, {"layer", 1},     {"head", 0}, {"query", 4},
                     {"score", "ablation_zero"},         {"notable", true}};
  open_views({view});
  EXPECT_EQ(text("h1"), "L1H0 matters most.");
  const std::string facts = text(".facts");
  for (const char* fact : {"runs/made", "2,000", "1.500 nats", "1,234"})
    EXPECT_NE(facts.find(fact), std::string::npos) << facts;
  expect_shown("L1H0", 4);
  EXPECT_EQ(b.value("document.querySelector('.scores select').value"), "ablation_zero");
  EXPECT_EQ(count("canvas.matrix"), 1u);
  // All within the first window of 1280 by 800.
  for (const char* panel : {"h1", "div.tokens", ".grid", "canvas.matrix", ".chances", ".sliders"})
    EXPECT_EQ(b.run("return document.querySelector(arguments[0]).getBoundingClientRect().bottom <= 800", {panel}), true)
        << panel;
}

TEST_F(ViewerOpening, NamesTheHardestTokenAndTheChosenOne) {
  open();
  EXPECT_NE(text("section.tokens .told").find("Hardest: \u201C\u2068c\u2069\u201D (5), 2.50"), std::string::npos)
      << text("section.tokens .told");  // the fixture's loss is t / 2
  EXPECT_EQ(b.value("document.getElementById(document.querySelector('[role=listbox]').getAttribute("
                    "'aria-activedescendant')).dataset.token"),
            "5");
}

TEST_F(ViewerOpening, ShowsTheLargestMapOfHeadsWithItsBaselineInTheFirstWindow) {
  MadeView view{.layers = 12, .heads = 12};
  view.texts.assign(256, "a");
  open(view);
  for (const char* part : {".grid", ".base"})
    EXPECT_EQ(b.run("return document.querySelector(arguments[0]).getBoundingClientRect().bottom <= 800", {part}), true)
        << part;
}

TEST_F(ViewerOpening, LeadsToTheHeadThatTheTextNeedsMost) {
  Json view = view_json({});
  view["finding"]["most_needed"] = {{"sentence", "This text needs L1H1 most."}, {"layer", 1}, {"head", 1}};
  open_views({view});
  EXPECT_EQ(text(".needed"), "This text needs L1H1 most. show it");
  b.click(".needed button");
  b.move_to("h1");
  expect_shown("L1H1", 5);
  EXPECT_EQ(b.value("document.querySelector('.scores select').value"), "ablation_zero");
}

TEST_F(ViewerOpening, NamesLayersAndHeadsByTheModelsOwnNumbers) {
  Json view = view_json({});
  view["layers"] = {3, 7};
  view["heads"] = {2, 5};
  view["finding"]["layer"] = 7;
  view["finding"]["head"] = 2;
  view["rollout"] = view["uniform_rollout"] = nullptr;
  open_views({view});
  expect_shown("L7H2", 5);
  b.click("[data-choice='view rollout']");
  b.wait_until("document.querySelector('.centre .readout').innerText.startsWith('Rollout is for')");
}

TEST_F(ViewerOpening, SaysThatNothingStandsOutAndWhatTheReaderShouldKnow) {
  Json view = view_json({});
  view["finding"] = {{"sentence", "No head stands out."},
                     {"layer", nullptr},
                     {"head", nullptr},
                     {"query", 0},
                     {"score", "previous"},
                     {"notable", false}};
  view["notes"] = {"the prompt had 300 tokens, the last 64 are shown"};
  open_views({view});
  EXPECT_EQ(text("h1"), "No head stands out.");
  EXPECT_EQ(text(".note"), "the prompt had 300 tokens, the last 64 are shown");
  expect_shown("L0H0", 0);
}

TEST_F(ViewerOpening, PrintsEachScoreWithItsBaseline) {
  open();
  b.run("change({score: 'previous'})");
  b.wait_until(
      "document.querySelector('.base').innerText.includes('0.25') && "
      "document.querySelector('.base').innerText.includes('5 tokens')");
  EXPECT_EQ(text("[data-head=L1H1]"), ".30");
  EXPECT_EQ(b.value("document.querySelector('[data-head=L1H1]').getAttribute('aria-label')"),
            "L1H1, previous token 0.30");
  EXPECT_EQ(count(".scores .notch"), 1u);
  b.run("change({score: 'induction_text'})");
  b.wait_until("document.querySelector('[data-head=L1H1]').innerText === 'n/a'");
  EXPECT_NE(text(".base").find("no token of this text"), std::string::npos);
}

TEST_F(ViewerOpening, FitsEveryWidth) {
  MadeView large;
  large.layers = large.heads = 12;
  large.texts.assign(40, "token");
  open(large);
  for (const int width : {360, 500, 768, 1024, 1280, 1920, 2560}) {
    b.resize(width, 900);
    for (const char* view : {"matrix", "arcs", "heads", "rollout", "lens"}) {
      b.run("change({view: arguments[0]}); render();", {view});
      EXPECT_TRUE(b.value("document.documentElement.scrollWidth === document.documentElement.clientWidth"))
          << view << " at " << width << ": the page has to be moved sideways";
      EXPECT_EQ(b.run("return [...document.querySelectorAll('.panel')].filter(panel => panel.scrollWidth > "
                      "panel.clientWidth + 1)"
                      ".map(panel => panel.className);"),
                Json::array())
          << view << " at " << width << ": what sticks out of its panel";
    }
  }
}

TEST_F(ViewerOpening, ShowsOneTokenOfOneHead) {
  MadeView one;
  one.layers = one.heads = 1;
  one.texts = {"a"};
  open(one);
  for (const char* view : {"arcs", "heads", "rollout", "lens", "matrix"})
    b.run("change({view: arguments[0]}); render();", {view});
  expect_shown("L0H0", 0);
  EXPECT_NE(text(".attribution .told").find("no true next token"), std::string::npos);
  EXPECT_EQ(b.complaints(), std::vector<std::string>());
}

TEST_F(ViewerOpening, ShowsModelsThatLookAhead) {
  MadeView view;
  view.full = true;
  open(view);
  EXPECT_EQ(pixel_of_cell(0, 5)[3], 255) << "no half is masked";
  EXPECT_EQ(count(".row tbody tr"), 6u);
  EXPECT_EQ(b.complaints(), std::vector<std::string>());
}

TEST_F(ViewerOpening, DoesWithoutWhatWasNotComputed) {
  Json view = view_json({});
  for (const char* part : {"ablation", "training", "value_norms", "rollout", "uniform_rollout", "mean_loss_nats"})
    view[part] = nullptr;
  view["model"]["val_loss_nats"] = nullptr;
  open_views({view});
  for (const char* key : {"v", "v", "v", "v", "v", "t", "w", "<", ">"}) b.press(key);
  b.run("render()");
  EXPECT_EQ(count(".training"), 0u);
  EXPECT_EQ(b.complaints(), std::vector<std::string>());
}

TEST_F(ViewerOpening, PutsTwoViewsSideBySide) {
  MadeView small;
  small.texts = {"a", "b"};
  open_views({view_json({}), view_json(small)});
  b.wait_until("document.querySelectorAll('.column').length === 2");
  EXPECT_EQ(
      b.value("columns[0].element.getBoundingClientRect().top === columns[1].element.getBoundingClientRect().top"),
      true);
  b.run("change({head: 1, query: 5}); render();");
  EXPECT_EQ(
      b.value("[...document.querySelectorAll('[role=option][aria-selected=true]')].map(one => one.dataset.token)"),
      Json({"5", "1"}))
      << "the same choice, as far as each has it";
  EXPECT_EQ(b.value("[...document.querySelectorAll('.centre h2')].map(one => one.innerText)"), Json({"L0H1", "L0H1"}));
}

TEST_F(ViewerOpening, KeepsTheChoiceInTheAddress) {
  open();
  b.run("change({layer: 1, head: 1, query: 2, view: 'lens', temperature: 0.5})");
  const std::string fragment = b.value("location.hash");
  open(MadeView{}, fragment);
  EXPECT_EQ(b.value("[state.layer, state.head, state.query, state.view, state.temperature]"),
            Json({1, 1, 2, "lens", 0.5}));
  open(MadeView{}, "#layer=99&head=-4&query=x&view=__proto__&curve=<b>&temperature=1e400&toString=1&hover=1");
  expect_shown("L1H0", 5);
}

TEST_F(ViewerOpening, NamesEveryControlForScreenReaders) {
  open();
  for (const char* view : {"matrix", "arcs", "heads", "rollout", "lens"}) {
    b.run("change({view: arguments[0]}); render();", {view});
    EXPECT_EQ(b.run("return [...document.querySelectorAll('button, input, select, canvas[role=img], svg[role=img], "
                    "[role=gridcell]')]"
                    ".filter(one => !(one.getAttribute('aria-label') || one.innerText || one.closest('label')))"
                    ".map(one => one.outerHTML.slice(0, 80));"),
              Json::array())
        << view;
  }
  EXPECT_EQ(b.value("document.querySelector('[role=grid]').querySelectorAll('[role=row] [role=gridcell]').length"), 4);
  EXPECT_EQ(b.value("document.querySelectorAll('[role=gridcell][tabindex=\"0\"]').length"), 1)
      << "Tab reaches the map once";
  EXPECT_EQ(count(".row tbody tr"), 6u) << "the chosen row as a table";
}

}  // namespace
}  // namespace tinylm::test
