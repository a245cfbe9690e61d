#include "inspect/pictures.h"

#include <png.h>

#include <gtest/gtest.h>

#include "inspect/csv.h"
#include "inspect/shade.h"
#include "inspect/views.h"

namespace tinylm {
namespace {

TEST(Pictures, HaveTheColourOfEachWeight) {
  const View view = test::random_view();
  const std::string bytes = head_png(view.text, {1, 2});
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()), 0);
  ASSERT_EQ(image.width, 768U);
  ASSERT_EQ(image.height, 768U);
  image.format = PNG_FORMAT_RGBA;
  std::vector<png_byte> pixels(4U * 768 * 768);
  ASSERT_NE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr), 0);
  for (const auto& [q, k] : {std::pair{0, 0}, {7, 3}, {11, 11}, {11, 0}}) {
    const png_byte* pixel = pixels.data() + 4 * ((64 * q + 40) * 768 + 64 * k + 17);
    EXPECT_EQ((Color{pixel[0], pixel[1], pixel[2]}), color_of_weight(view.text.attention[1][2][q][k].item<double>()));
    EXPECT_EQ(pixel[3], 255);
  }
  EXPECT_EQ(pixels[4 * (10 * 768 + 700) + 3], 0) << "later keys are hidden";
}

TEST(Pictures, OfTextsWithMarkupAreStillSvg) {
  View view = test::random_view();
  view.text.labels[0] = "<&>";
  const std::string svg = head_svg(view.text, {0, 1});
  EXPECT_NE(svg.find(">&lt;&amp;&gt;</text>"), std::string::npos);
  EXPECT_EQ(svg.find("<&>"), std::string::npos);
  std::size_t cells = 0;
  for (std::size_t at = 0; (at = svg.find("<rect x=", at)) != std::string::npos; ++at) ++cells;
  EXPECT_EQ(cells, 78U);
}

TEST(Csv, QuotesWhatWouldBreakALine) {
  EXPECT_EQ(csv_cell("plain"), "plain");
  EXPECT_EQ(csv_cell(""), "");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"no\""), "\"say \"\"no\"\"\"");
  EXPECT_EQ(csv_cell("\n"), "\"\n\"");
  EXPECT_EQ(csv_cell(" x"), "\" x\"");
}

}  // namespace
}  // namespace tinylm
