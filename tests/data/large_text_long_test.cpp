// Text much larger than the memory allowed for it: what is resident must not grow with it.
#include <gtest/gtest.h>

#include "core/machine.h"
#include "data/batch.h"
#include "data/dataset.h"
#include "data_test_support.h"

namespace tinylm {
namespace {

constexpr std::uint64_t kGigabyte = 1'000'000'000;

class LargeText : public FolderTest {
 protected:
  /// Repeats `part` until the file has `size` bytes.
  std::string write_large(const std::string& name, const std::string& part, std::uint64_t size) const {
    std::string block;
    while (block.size() < (std::size_t{1} << 20)) block += part;
    std::ofstream file(folder_ / name, std::ios::binary);
    for (std::uint64_t written = 0; written < size; written += block.size()) {
      const auto count = static_cast<std::streamsize>(std::min<std::uint64_t>(block.size(), size - written));
      file.write(block.data(), count);
    }
    EXPECT_TRUE(file.flush()) << "the disk is full";
    return (folder_ / name).string();
  }

  static std::string different_words(std::size_t bytes) {
    std::string text;
    for (int number = 100'000'000; text.size() < bytes; number += 157) text += std::to_string(number) + ' ';
    return text;
  }

  Dataset prepare(const std::string& text, Documents documents) const {
    TextOptions options;
    options.text = {text};
    options.documents = documents;
    return prepare_dataset(options, {}, 1, folder_ / "cache");
  }
};

TEST_F(LargeText, TwoGigabytesOfLinesArePreparedAndDrawnFromInLessThanOne) {
  const std::string text =
      write_large("lines.txt", "The ferry keeps winter hours.\nFirst crossing at eight.\n", 2 * kGigabyte);
  const Dataset dataset = prepare(text, Documents::kNone);
  EXPECT_EQ(dataset.train().count + dataset.val().count, static_cast<std::int64_t>(2 * kGigabyte));
  EXPECT_LT(peak_resident_bytes(), kGigabyte);

  const BatchSource source(dataset.train(), 256, 1);
  for (std::int64_t sample = 0; sample < 100000; sample += 50) source.samples(sample, 50);
  EXPECT_LT(peak_resident_bytes(), kGigabyte) << "after drawing windows from everywhere";

  EXPECT_EQ(prepare(text, Documents::kNone).folder(), dataset.folder());
  EXPECT_LT(peak_resident_bytes(), kGigabyte) << "after checking the prepared text";
}

TEST_F(LargeText, OneLineOfMoreThanAGigabyteIsPreparedInLess) {
  const std::string text = write_large("line.txt", "no line ends here, ", 12 * kGigabyte / 10);
  for (const Documents documents : {Documents::kLine, Documents::kBlankLine}) {
    const Dataset dataset = prepare(text, documents);
    EXPECT_EQ(dataset.train().count + dataset.val().count, static_cast<std::int64_t>(12 * kGigabyte / 10 + 2));
    EXPECT_LT(peak_resident_bytes(), kGigabyte);
  }
}

/// The hardest text for the sentencepiece trainer: its whole sample of 50 MB, and no word twice.
TEST_F(LargeText, SentencepieceLearnsFromFiftyMegabytesOfDifferentWordsInLessThanOneGigabyte) {
  write("numbers.txt", different_words(50'000'000));
  for (const std::string model : {"unigram", "bpe"}) {
    TextOptions options;
    options.text = {(folder_ / "numbers.txt").string()};
    TokenizerOptions tokenizer;
    tokenizer.tokenizer = "sentencepiece";
    tokenizer.sentencepiece_model = model;
    EXPECT_GT(prepare_dataset(options, tokenizer, 1, folder_ / model).train().count, 5'000'000);
    EXPECT_LT(peak_resident_bytes(), kGigabyte) << model;
  }
}

TEST_F(LargeText, AFolderOfManySmallFilesIsPrepared) {
  for (int file = 0; file < 20000; ++file)
    write("many/" + std::to_string(file) + ".txt", "file " + std::to_string(file));
  const Dataset dataset = prepare((folder_ / "many").string(), Documents::kFile);
  // "file " and START, END: 7 tokens each; digits: 10 + 90*2 + 900*3 + 9000*4 + 10000*5.
  EXPECT_EQ(dataset.train().count + dataset.val().count, 20000 * 7 + 10 + 180 + 2700 + 36000 + 50000);
  EXPECT_LT(peak_resident_bytes(), kGigabyte);
}

}  // namespace
}  // namespace tinylm
