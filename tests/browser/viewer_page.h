// What the tests of the viewer's page share: opening a page, and looking at what it shows.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "viewer_fixture.h"
#include "webdriver.h"

namespace tinylm::test {

using Json = nlohmann::json;

class ViewerPage : public ::testing::Test {
 protected:
  void SetUp() override {
    b.resize(1280, 800);
    b.prefer("light");
  }

  void open_file(const std::filesystem::path& file, std::size_t views, const std::string& fragment = "") {
    b.open(file, fragment);
    b.wait_until("document.readyState === 'complete'");
    ASSERT_EQ(b.complaints(), std::vector<std::string>());
    b.wait_until("columns.length === " + std::to_string(views));
  }
  void open_views(const std::vector<Json>& views, const std::string& fragment = "") {
    open_file(written_page(views), views.size(), fragment);
  }
  void open(const MadeView& view = {}, const std::string& fragment = "") { open_views({view_json(view)}, fragment); }

  /// The text that the first element of a selector shows.
  std::string text(const std::string& selector) {
    return b.run("return document.querySelector(arguments[0]).innerText", {selector});
  }
  std::size_t count(const std::string& selector) {
    return b.run("return document.querySelectorAll(arguments[0]).length", {selector});
  }
  /// What is chosen or previewed in the panels, as each of them shows it.
  Json shown() {
    return b.run(
        "const head = document.querySelector('[role=gridcell][aria-selected=true]').dataset.head;"
        "const token = Number(document.querySelector('[role=option][aria-selected=true]').dataset.token);"
        "return [head, token, document.querySelector('.row caption').innerText, document.querySelector('.next "
        ".told').innerText];");
  }
  /// Waits until every panel shows this head and token.
  void expect_shown(const std::string& head, int token) {
    const std::string position = std::to_string(token);
    const std::string shows =
        "(() => { const one = query => document.querySelector(query);"
        "return one('[role=gridcell][aria-selected=true]').dataset.head === '" +
        head + "' && one('.centre h2').innerText === '" + head +
        "' && one('[role=option][aria-selected=true]').dataset.token === '" + position +
        "' && one('.row caption').innerText.includes('" + head + "') && one('.row caption').innerText.includes('(" +
        position + ")') && one('.next .told').innerText.includes('position " + position +
        "') && one('.tokens .readout').innerText.startsWith('position " + position + " '); })()";
    try {
      b.wait_until(shows, 10.0);
    } catch (const std::runtime_error&) {
      ADD_FAILURE() << "not all panels show " << head << " and token " << token << ": " << shown();
    }
  }

  /// Where a cell of the heat map lies in the window; left above its middle, where no number is printed.
  std::array<double, 2> place_of_cell(int query, int key) {
    const Json place = b.run(
        "const canvas = document.querySelector('canvas.matrix'); canvas.scrollIntoView({block: 'center'});"
        "const box = canvas.getBoundingClientRect(), {margin, cell} = canvas.dataset;"
        "return [box.x + Number(margin) + (arguments[1] + 0.2) * cell, box.y + Number(margin) + (arguments[0] + 0.2) * "
        "cell];",
        {query, key});
    return {place[0], place[1]};
  }
  /// Red, green, blue and alpha there.
  Json pixel_of_cell(int query, int key) {
    return b.run(
        "render(); const canvas = document.querySelector('canvas.matrix'), {margin, cell} = canvas.dataset;"
        "const at = place => Number(margin) + Math.floor((place + 0.2) * cell);"
        "return Array.from(canvas.getContext('2d').getImageData(at(arguments[1]), at(arguments[0]), 1, 1).data);",
        {query, key});
  }

  Browser& b = browser();
};

}  // namespace tinylm::test
