#include "cli/coloured_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "sample/scored_example.h"
#include "sample/scripted_model.h"
#include "test_support.h"

namespace tinylm {
namespace {

/// What is written of `ids`, without the line about colours.
std::string coloured_text_of(const std::vector<TokenId>& ids, std::vector<float> losses_nats,
                             const Tokenizer& tokenizer) {
  const test::TokensOf tokens(ids, tokenizer);
  std::ostringstream out;
  const ScoredText scored{"run", "step-1", {}, tokens.range(), &tokenizer, std::move(losses_nats)};
  write_coloured_text(out, coloured_tokens(scored), tokenizer, ColorDepth::k24Bit);
  const std::string text = out.str();
  expect_contains(text.substr(0, text.find('\n')), "5.55 or more");  // ln 258
  return text.substr(text.find('\n') + 1);
}

const std::string kDark = "\x1b[48;2;68;1;84m\x1b[97m";  // viridis' two ends
const std::string kBright = "\x1b[48;2;253;231;37m\x1b[30m";
const std::string kEnd = "\x1b[0m";

TEST(ColouredText, IsDarkWhereExpectedAndBrightFromAnEvenGuessOn) {
  const auto tokenizer = test::tokenizer_over("byte", "a");
  EXPECT_EQ(coloured_text_of(tokenizer->encode("abcd"), {0.0F, static_cast<float>(std::log(258.0)), 99.0F}, *tokenizer),
            "a" + kDark + "b" + kEnd + kBright + "c" + kEnd + kBright + "d" + kEnd + "\n");
}

TEST(ColouredText, EndsALineOutsideTheColour) {
  const auto tokenizer = test::tokenizer_over("byte", "a");
  EXPECT_EQ(coloured_text_of(tokenizer->encode("a\nb"), {0.0F, 0.0F}, *tokenizer),
            "a" + kDark + "\u23CE" + kEnd + "\n" + kDark + "b" + kEnd + "\n");
}

TEST(ColouredText, ShowsWhereDocumentsBeginAndEnd) {
  const auto tokenizer = test::tokenizer_over("byte", "a");
  const TokenId start = tokenizer->start_id(), end = tokenizer->end_id();
  EXPECT_EQ(coloured_text_of({start, 'a', end, start}, {0.0F, 0.0F, 0.0F}, *tokenizer),
            "START" + kDark + "a" + kEnd + kDark + "END" + kEnd + "\n" + kDark + "START" + kEnd + "\n");
}

TEST(ColouredText, OfASampleColoursWhatFollowsThePrompt) {
  const auto tokenizer = test::tokenizer_over("byte", "a");
  Generated text;
  text.ids = {'b', 'c'};
  text.log_probabilities = {0.0, -99.0};
  std::ostringstream out;
  write_coloured_text(out, coloured_tokens({'a'}, text), *tokenizer, ColorDepth::k24Bit);
  EXPECT_TRUE(out.str().ends_with("\na" + kDark + "b" + kEnd + kBright + "c" + kEnd + "\n")) << out.str();
}

}  // namespace
}  // namespace tinylm
