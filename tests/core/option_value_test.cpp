#include "core/option_value.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/errors.h"
#include "test_support.h"

namespace tinylm {
namespace {

using Texts = std::vector<std::string>;
using namespace std::string_literals;

const OptionValue kFlag = false, kWhole = std::int64_t{0}, kNumber = 0.0, kText = ""s, kList = Texts{};

TEST(ParseValue, ReadsWholeNumbersExactly) {
  EXPECT_EQ(parse_value("-5", kWhole), OptionValue(std::int64_t{-5}));
  EXPECT_EQ(parse_value("9223372036854775807", kWhole), OptionValue(std::numeric_limits<std::int64_t>::max()));
  for (const char* wrong : {"", "1.0", "1e3", "9223372036854775808", "12x", " 1", "0x10", "+1"}) {
    EXPECT_EQ(parse_value(wrong, kWhole), std::nullopt) << wrong;
  }
}

TEST(ParseValue, ReadsFiniteNumbers) {
  EXPECT_EQ(parse_value("-1e-3", kNumber), OptionValue(-1e-3));
  EXPECT_EQ(parse_value("3", kNumber), OptionValue(3.0));
  for (const char* wrong : {"", "nan", "inf", "-inf", "1e999", "0.1.2", "0,9"}) {
    EXPECT_EQ(parse_value(wrong, kNumber), std::nullopt) << wrong;
  }
}

TEST(ParseValue, ReadsTextsListsAndFlags) {
  EXPECT_EQ(parse_value(" a b", kText), OptionValue(" a b"s));
  EXPECT_EQ(parse_value("[0.9,0.95]", kList), OptionValue(Texts{"[0.9,0.95]"}));
  EXPECT_EQ(parse_value("true", kFlag), OptionValue(true));
  EXPECT_EQ(parse_value("yes", kFlag), std::nullopt);
}

TEST(ConvertValue, TakesWholeNumbersForOthersAndNothingElse) {
  EXPECT_EQ(convert_value(std::int64_t{3}, kNumber), OptionValue(3.0));
  EXPECT_EQ(convert_value(3.0, kWhole), std::nullopt);
  EXPECT_EQ(convert_value(true, kWhole), std::nullopt);
  EXPECT_EQ(convert_value("a"s, kList), std::nullopt);
  EXPECT_EQ(convert_value(std::numeric_limits<double>::infinity(), kNumber), std::nullopt);
}

TEST(ToToml, WritesEachKind) {
  EXPECT_EQ(to_toml(true), "true");
  EXPECT_EQ(to_toml(std::int64_t{-7}), "-7");
  EXPECT_EQ(to_toml(1.0), "1.0");
  EXPECT_EQ(to_toml("a\nb\"c\\\t\x01\x7f é"s), R"("a\nb\"c\\\t\u0001\u007F é")");
  EXPECT_EQ(to_toml(Texts{}), "[]");
  EXPECT_EQ(to_toml(Texts{"a", "b"}), R"(["a", "b"])");
}

TEST(ToToml, RefusesTextThatIsNoUtf8) {
  EXPECT_EQ(test::message_of<BadInput>([] { to_toml("ab\xFF"s); }),
            "'ab<FF>' cannot be saved: byte 2 is no UTF-8; use a name that is");
}

}  // namespace
}  // namespace tinylm
