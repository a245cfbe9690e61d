#include "sample/stop_matcher.h"

#include <gtest/gtest.h>

namespace tinylm {
namespace {

/// What comes out when `text` is fed in pieces of `size` bytes.
std::string passed(const std::vector<std::string>& stops, const std::string& text, std::size_t size) {
  StopMatcher matcher(stops);
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += size) out += matcher.push(text.substr(i, size));
  return out + matcher.finish();
}

TEST(StopMatcher, PassesEverythingWithoutStopTexts) {
  StopMatcher matcher({});
  EXPECT_EQ(matcher.push("abc"), "abc");
  EXPECT_FALSE(matcher.stopped());
  EXPECT_EQ(matcher.finish(), "");
}

TEST(StopMatcher, HoldsBackWhatMightBeginAStopText) {
  StopMatcher matcher({"END."});
  EXPECT_EQ(matcher.push("the E"), "the ");
  EXPECT_EQ(matcher.push("N"), "");
  EXPECT_EQ(matcher.push("V"), "ENV");
  EXPECT_EQ(matcher.push("EN"), "");
  EXPECT_EQ(matcher.finish(), "EN");
}

TEST(StopMatcher, StopsBeforeATextThatCrossesPieces) {
  StopMatcher matcher({"\n\n"});
  EXPECT_EQ(matcher.push("one\n"), "one");
  EXPECT_EQ(matcher.push("\ntwo"), "");
  EXPECT_TRUE(matcher.stopped());
  EXPECT_EQ(matcher.push("three"), "");
  EXPECT_EQ(matcher.finish(), "");
}

TEST(StopMatcher, FindsAStopTextThatBeginsWithinAFalseBeginning) {
  EXPECT_EQ(passed({"aab"}, "xaaab!", 1), "xa");
  EXPECT_EQ(passed({"abac"}, "ababac", 1), "ab");
}

TEST(StopMatcher, CountsTheStopTextThatIsCompleteFirst) {
  for (std::size_t size = 1; size <= 6; ++size) {
    EXPECT_EQ(passed({"abcd", "bc"}, "xabcd", size), "xa") << size;
    EXPECT_EQ(passed({"c", "abc"}, "xabcd", size), "x") << size;
  }
}

TEST(StopMatcher, DoesNotDependOnWherePiecesAreCut) {
  const std::string text = "Once upon a time\nA: hello\nB: bye\n";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    EXPECT_EQ(passed({"\nB:", "zzz"}, text, size), "Once upon a time\nA: hello") << size;
    EXPECT_EQ(passed({"\nC:"}, text, size), text) << size;
  }
}

TEST(StopMatcher, NeverCutsACharacter) {
  // U+00E9 is C3 A9 and U+00E8 is C3 A8: the first byte alone must not be held or passed.
  StopMatcher matcher({"\u00E9"});
  EXPECT_EQ(matcher.push("\u00E8"), "\u00E8");
  EXPECT_EQ(matcher.push("x\u00E9y"), "x");
  EXPECT_TRUE(matcher.stopped());
}

}  // namespace
}  // namespace tinylm
