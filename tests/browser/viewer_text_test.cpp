// Whatever a text holds, the page shows it as text.
#include "viewer_page.h"

namespace tinylm::test {
namespace {

class ViewerText : public ViewerPage {};

TEST_F(ViewerText, IsNeverMarkup) {
  MadeView view;
  view.texts = {"</script>",
                "<script>document.title='taken'</script>",
                "<img/src=x/onerror=document.title='taken'>",
                "<!--",
                "]]>",
                "&amp;",
                "\"'`",
                "${1}",
                "\\u003c",
                "{{data}}",
                "{{style.css}}"};
  view.vocabulary = 20;
  open(view);
  for (const char* name : {"arcs", "heads", "rollout", "lens", "matrix"})
    b.run("change({view: arguments[0], strip: 'looks'}); render();", {name});
  const Json shown = b.value("[...document.querySelectorAll('[role=option] bdi')].map(token => token.textContent)");
  EXPECT_EQ(shown, Json(view.texts));
  EXPECT_EQ(count("img") + count("main script"), 0u);
  EXPECT_NE(b.value("document.title"), "taken");
  EXPECT_EQ(b.complaints(), std::vector<std::string>());
}

TEST_F(ViewerText, KeepsOtherDirectionsPicturesAndBytes) {
  MadeView view;
  view.texts = {"שלום", "مرحبا", "👩‍👩‍👧", "🇪🇺", "e\u0301", "<E2>", "<82>", "\u202Eabc", "\u200B", "日本"};
  view.vocabulary = 12;
  open(view);
  EXPECT_EQ(b.value("[...document.querySelectorAll('[role=option] bdi')].map(token => token.textContent)"),
            Json(view.texts));
  // Each token's direction stays within it: the tokens run from left to right.
  EXPECT_EQ(b.value("[...document.querySelectorAll('[role=option]')].every((token, t, all) => t === 0 ||"
                    "token.getBoundingClientRect().left > all[t - 1].getBoundingClientRect().left)"),
            true);
  b.press("Home");
  b.wait_until("document.querySelector('.row caption').textContent.includes('שלום')");
  EXPECT_EQ(b.complaints(), std::vector<std::string>());
}

TEST_F(ViewerText, OfGreatLengthStaysInItsPlace) {
  MadeView view;
  view.texts = {"a", std::string(300, 'w'), "b"};
  open(view, "#query=1");
  for (const char* name : {"arcs", "heads", "lens", "matrix"}) {
    b.run("change({view: arguments[0]}); render();", {name});
    EXPECT_TRUE(b.value("document.documentElement.scrollWidth === document.documentElement.clientWidth")) << name;
  }
  EXPECT_GT(b.value("document.querySelector('canvas.matrix').width").get<int>(), 150);
}

}  // namespace
}  // namespace tinylm::test
