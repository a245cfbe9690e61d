#include "inspect/head_selection.h"

#include <gtest/gtest.h>

#include "core/errors.h"

namespace tinylm {
namespace {

TEST(ParseHead, TakesNumbersOrTheNameThatIsPrinted) {
  EXPECT_EQ(parse_head("0.2", "--head"), (HeadPlace{0, 2}));
  EXPECT_EQ(parse_head("L11H0", "--head"), (HeadPlace{11, 0}));
  EXPECT_EQ(parse_head("l1h3", "--head"), (HeadPlace{1, 3}));
}

TEST(ParseHead, SaysWhatItTakes) {
  for (const char* text : {"", "2", "0.2.5", "L0.2", "0H2", "-1.2", "0.2 ", "L0H", "99999999999999999999.0"}) {
    try {
      parse_head(text, "--head");
      FAIL() << text;
    } catch (const WrongUse& error) {
      EXPECT_EQ(
          std::string(error.what()),
          "--head takes a layer and a head, counted from 0, such as 0.2 or L0H2; found \"" + std::string(text) + "\"");
    }
  }
}

TEST(ParseNumbers, TakesNumbersAndRanges) {
  EXPECT_EQ(parse_numbers("3,0,1-2,2", 4, "--layers"), (std::vector<std::int64_t>{0, 1, 2, 3}));
}

TEST(ParseNumbers, SaysWhatItTakes) {
  for (const char* text : {"", ",", "1,", "2-1", "a", "1--2", "0 1"})
    EXPECT_THROW(parse_numbers(text, 4, "--layers"), WrongUse) << text;
  for (const char* text : {"4", "0-4", "0-999999999999"}) {
    try {
      parse_numbers(text, 4, "--layers");
      FAIL() << text;
    } catch (const WrongUse& error) {
      EXPECT_NE(std::string(error.what()).find("expected numbers from 0 to 3"), std::string::npos) << error.what();
    }
  }
}

TEST(HeadSelection, TakesItsPartOfEveryHeadsValues) {
  ModelConfig config;
  config.layers = 3;
  config.heads = 2;
  const torch::Tensor values = torch::arange(6).view({3, 2});
  EXPECT_TRUE(HeadSelection::all(config).of(values).equal(values));
  const HeadSelection some{{0, 2}, {1}};
  EXPECT_TRUE(some.of(values).equal(torch::tensor({{1}, {5}})));
  EXPECT_TRUE(some.holds({2, 1}));
  EXPECT_FALSE(some.holds({1, 1}));
}

}  // namespace
}  // namespace tinylm
