#include "inspect/viewer/viewer_data.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "inspect/packed_rows.h"
#include "inspect/views.h"

namespace tinylm {
namespace {

TEST(ViewerPage, KeepsTextsAsData) {
  View view = test::random_view();
  view.text.texts[0] = view.text.labels[0] = "</script><script>alert(1)</script>";
  view.text.texts[1] = "\u202Eabc";
  const std::string page = viewer_page({view});
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  const std::size_t begin = page.find("id=\"data\">") + 10, end = page.find("</script>", begin);
  const nlohmann::json data = nlohmann::json::parse(page.substr(begin, end - begin));
  EXPECT_EQ(data["views"][0]["tokens"]["texts"][0], "</script><script>alert(1)</script>");
  EXPECT_EQ(data["views"][0]["tokens"]["texts"][1], "\u202Eabc");
  EXPECT_EQ(data["version"], TINYLM_VERSION);
}

TEST(ViewerPage, LargerThanABrowserLikesIsRefused) {
  EXPECT_NO_THROW(require_page_size(packed_bytes(144, 256, true) * 4 / 3));
  try {
    require_page_size(15'000'000);
    FAIL() << "expected BadInput";
  } catch (const BadInput& error) {
    const std::string text = error.what();
    for (const char* part : {"15", "14", "--layers", "--heads", "--last"})
      EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
}

}  // namespace
}  // namespace tinylm
