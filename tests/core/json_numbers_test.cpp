#include "core/json_numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tinylm {
namespace {

TEST(JsonNumbers, AreNullWhereJsonHasNone) {
  EXPECT_EQ(number_or_null(1.5).dump(), "1.5");
  EXPECT_EQ(number_or_null(std::numeric_limits<double>::quiet_NaN()).dump(), "null");
  EXPECT_EQ(number_or_null(-std::numeric_limits<double>::infinity()).dump(), "null");
}

TEST(JsonNumbers, AreReadBackWithNullAsNan) {
  EXPECT_EQ(number_or_nan(nlohmann::json(1.5)), 1.5);
  EXPECT_EQ(number_or_nan(nlohmann::ordered_json(7)), 7.0);
  EXPECT_TRUE(std::isnan(number_or_nan(nlohmann::json())));
}

TEST(JsonNumbers, RefuseWhatIsNoNumber) {
  EXPECT_THROW(number_or_nan(nlohmann::json("1.5")), nlohmann::json::exception);
}

}  // namespace
}  // namespace tinylm
