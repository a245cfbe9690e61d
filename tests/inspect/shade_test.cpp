#include "inspect/shade.h"

#include <limits>

#include <gtest/gtest.h>

#include "core/utf8.h"

namespace tinylm {
namespace {

TEST(Shader, FollowsTheSquareRootOfTheWeight) {
  const Shader shader(ColorDepth::kAscii, 1);
  EXPECT_EQ(shader.cell(0.0), " ");
  EXPECT_EQ(shader.cell(1.0 / 81), ".");
  EXPECT_EQ(shader.cell(0.2), "=");
  EXPECT_EQ(shader.cell(1.0), "@");
}

TEST(Shader, KeepsWeightsBeyondTheScaleOnIt) {
  const Shader shader(ColorDepth::kAscii, 2);
  EXPECT_EQ(shader.cell(-0.1), "  ");
  EXPECT_EQ(shader.cell(1.0000001), "@@");
}

TEST(Shader, InterpolatesBetweenTheColoursOfTheScale) {
  // The root of 0.0625 is a quarter: the second colour itself. The root of 0.140625 is 0.375, halfway to the third.
  const Shader shader(ColorDepth::k24Bit, 1);
  EXPECT_EQ(shader.cell(0.0625), "\x1b[48;2;59;82;139m ");
  EXPECT_EQ(shader.cell(0.140625), "\x1b[48;2;46;114;140m ");
}

TEST(Shader, EndsColoursBeforeAWeightThatIsNoNumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Shader(ColorDepth::k24Bit, 2).cell(nan), "\x1b[0m??");
  EXPECT_EQ(Shader(ColorDepth::kAscii, 2).cell(nan), "??");
}

TEST(Shader, ScaleNamesItsEnds) {
  EXPECT_EQ(Shader(ColorDepth::kAscii, 2).scale(), "weight 0 to 1, by its square root: .:-=+*#%@");
  const std::string scale = Shader(ColorDepth::k24Bit, 2).scale();
  EXPECT_TRUE(scale.starts_with("weight: 0 \x1b[48;2;68;1;84m ")) << scale;
  EXPECT_NE(scale.find("\x1b[0m 0.25 "), std::string::npos) << scale;
  EXPECT_TRUE(scale.ends_with("\x1b[48;2;253;231;37m \x1b[0m 1")) << scale;
}

}  // namespace
}  // namespace tinylm
