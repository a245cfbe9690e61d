#include "data/text_encoder.h"

#include <gtest/gtest.h>

#include "core/errors.h"
#include "data_test_support.h"

namespace tinylm {
namespace {

class TextEncoderTest : public LettersTest {
 protected:
  std::vector<std::int64_t> encoded(const std::vector<std::filesystem::path>& files, Documents documents,
                                    std::size_t chunk_bytes) const {
    TextOptions options;
    options.documents = documents;
    TextFiles text(files, options, false, chunk_bytes);
    TokenFileWriter writer(folder_ / "t", tokenizer_->vocabulary_size(), tokenizer_->fingerprint());
    encode_text(text, *tokenizer_, writer);
    writer.finish();
    const TokenFile file(folder_ / "t");
    std::vector<std::int64_t> ids(static_cast<std::size_t>(file.size()));
    file.copy(0, file.size(), ids.data());
    return ids;
  }
};

using Ids = std::vector<std::int64_t>;

TEST_F(TextEncoderTest, EncodesEveryKindOfDocumentByValue) {
  const auto one = write("a.txt", "ab\n\nc d\n"), two = write("b.txt", "e");
  for (const std::size_t chunk : kChunkSizes) {
    EXPECT_EQ(encoded({one, two}, Documents::kNone, chunk), (Ids{2, 3, 0, 0, 4, 1, 5, 0, 6})) << chunk;
    EXPECT_EQ(encoded({one, two}, Documents::kLine, chunk), (Ids{7, 2, 3, 8, 7, 4, 1, 5, 8, 7, 6, 8})) << chunk;
    EXPECT_EQ(encoded({one, two}, Documents::kBlankLine, chunk), (Ids{7, 2, 3, 8, 7, 4, 1, 5, 8, 7, 6, 8})) << chunk;
    EXPECT_EQ(encoded({one, two}, Documents::kFile, chunk), (Ids{7, 2, 3, 0, 0, 4, 1, 5, 0, 8, 7, 6, 8})) << chunk;
  }
}

TEST_F(TextEncoderTest, ReadsFromTheBeginningAfterAnotherPass) {
  TextFiles text({write("a.txt", "abc")}, {}, false);
  std::string piece;
  while (text.next(piece)) {
  }
  TokenFileWriter writer(folder_ / "t", tokenizer_->vocabulary_size(), 0);
  encode_text(text, *tokenizer_, writer);
  EXPECT_EQ(writer.count(), 3);
}

TEST_F(TextEncoderTest, NamesFileLineAndColumnOfACharacterWithoutToken) {
  const auto fine = write("a.txt", "abc\n"), odd = write("b.txt", "ab\r\n\r\nbc \u20acd\n");
  for (const Documents documents : {Documents::kNone, Documents::kLine, Documents::kBlankLine, Documents::kFile}) {
    for (const std::size_t chunk : kChunkSizes) {
      const std::string message = message_of<BadInput>([&] { encoded({fine, odd}, documents, chunk); });
      expect_mentions(message, {"b.txt, line 3, column 4: the char tokenizer has no token for \"\u20ac\" (U+20AC)",
                                "take it out of the text"});
    }
  }
}

TEST_F(TextEncoderTest, GoesOnBehindWhatIsEncodedTogether) {
  std::string lines;
  Ids expected;
  for (int i = 0; i < 70'000; ++i) {  // more pieces than are encoded together
    lines += std::string(1, static_cast<char>('a' + i % 5)) + "\n";
    expected.insert(expected.end(), {7, 2 + i % 5, 8});
  }
  EXPECT_EQ(encoded({write("a.txt", lines)}, Documents::kLine, std::size_t{1} << 18), expected);
  const auto odd = write("b.txt", "ab\ncx\n");
  expect_mentions(message_of<BadInput>([&] {
                    encoded({write("a.txt", lines), odd}, Documents::kLine, 1 << 18);
                  }),
                  {"b.txt, line 2, column 2", "\"x\""});
}

}  // namespace
}  // namespace tinylm
