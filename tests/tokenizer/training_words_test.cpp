#include "tokenizer/training_words.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tokenizer/test_text.h"

namespace tinylm {
namespace {

using Pairs = std::vector<std::pair<std::string, std::uint64_t>>;

Pairs words_of(const std::string& text, std::size_t most_characters = kMostWordCharacters) {
  StringReader reader(text);
  TrainingLines lines(reader, 1, 1'000'000);
  Pairs pairs;
  for (const TrainingWord& word : training_words(lines, most_characters)) pairs.emplace_back(word.text, word.count);
  std::sort(pairs.begin(), pairs.end());  // equally frequent words stand in an order of their own
  return pairs;
}

TEST(TrainingWords, BeginWithTheirSpaceAndAreCounted) {
  EXPECT_EQ(words_of("the cat the cat\nthe dog"), (Pairs{{" cat", 2}, {" dog", 1}, {" the", 1}, {"the", 2}}));
}

TEST(TrainingWords, LetEachSpaceBeginAWord) {
  EXPECT_EQ(words_of("a  b "), (Pairs{{" ", 2}, {" b", 1}, {"a", 1}}));
}

TEST(TrainingWords, EndAtTabsAndAtWhatIsReserved) {
  EXPECT_EQ(words_of("one\ttwo\t\tthree<s>four \u2581five"),
            (Pairs{{" ", 1}, {"five", 1}, {"four", 1}, {"one", 1}, {"three", 1}, {"two", 1}}));
}

TEST(TrainingWords, KeepTheMostFrequentWithinTheLimitAndEveryCharacter) {
  // 3 + 4 characters fit into 7; "zebra" does not, so its characters come alone, once each.
  EXPECT_EQ(words_of("cat cat cat\ncat\nzebra", 7),
            (Pairs{{" cat", 2}, {"b", 1}, {"cat", 2}, {"e", 1}, {"r", 1}, {"z", 1}}));
}

TEST(TrainingWords, DropTheRarestWhileCountingTooMany) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "word\n" + std::to_string(i) + "\n";
  const Pairs words = words_of(text, 40);  // at most 20 different words are counted at a time
  EXPECT_EQ(std::count(words.begin(), words.end(), std::pair<std::string, std::uint64_t>{"word", 1000}), 1);
  EXPECT_LE(words.size(), 40u);
}

TEST(TrainingWords, OfTheSameTextAreTheSame) {
  std::string text;
  for (const std::string& other : random_texts(300)) text += other + " ";
  EXPECT_EQ(words_of(text), words_of(text));
  EXPECT_EQ(words_of(text, 500), words_of(text, 500));
}

}  // namespace
}  // namespace tinylm
