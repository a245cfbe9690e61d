#include "data/document_splitter.h"

#include <gtest/gtest.h>

#include "data_test_support.h"

namespace tinylm {
namespace {

using DocumentsTest = FolderTest;
using Texts = std::vector<std::string>;

TextOptions options_of(Documents documents) {
  TextOptions options;
  options.documents = documents;
  return options;
}

TEST_F(DocumentsTest, NoneIsOneStreamOverAllFiles) {
  const auto one = write("a.txt", "one\n\ntwo"), two = write("b.txt", " three\n");
  for (const std::size_t chunk : kChunkSizes) {
    EXPECT_EQ(text_of({one, two}, {}, false, chunk), "one\n\ntwo three\n") << chunk;
  }
  TextFiles text({one, two}, {}, false);
  for (DocumentPiece piece; text.next_piece(piece);) {
    EXPECT_FALSE(piece.begins_document);
    EXPECT_FALSE(piece.ends_document);
  }
}

TEST_F(DocumentsTest, LineMakesEveryNonEmptyLineADocument) {
  const auto one = write("a.txt", "emma\n\nolivia\n ava \nzo\u00eb"), two = write("b.txt", "\nmia\n");
  for (const std::size_t chunk : kChunkSizes) {
    EXPECT_EQ(documents_of({one, two}, options_of(Documents::kLine), chunk),
              (Texts{"emma", "olivia", " ava ", "zo\u00eb", "mia"}))
        << chunk;
  }
}

TEST_F(DocumentsTest, LineHasNoPartOfACrLfWhetherKeptOrNot) {
  const auto file = write("a.txt", "emma\r\n\r\nolivia\r\n");
  for (const bool keep : {false, true}) {
    TextOptions options = options_of(Documents::kLine);
    options.keep_crlf = keep;
    for (const std::size_t chunk : kChunkSizes) {
      EXPECT_EQ(documents_of({file}, options, chunk), (Texts{"emma", "olivia"})) << chunk;
    }
  }
}

TEST_F(DocumentsTest, BlankLinesSeparateDocumentsAndBelongToNone) {
  const auto one = write("a.txt", "\n\none\ntwo\n\n \t\n\n  three\nfour  \n\nfive\n"), two = write("b.txt", "six");
  for (const std::size_t chunk : kChunkSizes) {
    // In chunks shorter than a line of blanks that line cannot be told from text, so the smallest is left out.
    if (chunk < 3) continue;
    EXPECT_EQ(documents_of({one, two}, options_of(Documents::kBlankLine), chunk),
              (Texts{"one\ntwo", "  three\nfour  ", "five", "six"}))
        << chunk;
  }
}

TEST_F(DocumentsTest, BlankLineKeepsCrLfWithinDocumentsWhenAsked) {
  const auto file = write("a.txt", "one\r\ntwo\r\n\r\nthree\r\n");
  TextOptions options = options_of(Documents::kBlankLine);
  for (const std::size_t chunk : kChunkSizes) {
    EXPECT_EQ(documents_of({file}, options, chunk), (Texts{"one\ntwo", "three"})) << chunk;
  }
  options.keep_crlf = true;
  for (const std::size_t chunk : kChunkSizes) {
    EXPECT_EQ(documents_of({file}, options, chunk), (Texts{"one\r\ntwo", "three"})) << chunk;
  }
}

TEST_F(DocumentsTest, FileMakesEveryNonEmptyFileADocumentAsItIs) {
  const auto one = write("a.txt", "one\n\ntwo\n"), none = write("b.txt", ""), two = write("c.txt", "three");
  for (const std::size_t chunk : kChunkSizes) {
    EXPECT_EQ(documents_of({one, none, two}, options_of(Documents::kFile), chunk), (Texts{"one\n\ntwo\n", "three"}))
        << chunk;
  }
}

TEST_F(DocumentsTest, TextForTheTokenizerIsWhatIsEncoded) {
  const auto file = write("a.txt", "emma\n\nolivia\n");
  EXPECT_EQ(text_of({file}, options_of(Documents::kLine), false, 64), "emmaolivia");
  EXPECT_EQ(text_of({file}, options_of(Documents::kBlankLine), false, 64), "emmaolivia");
  EXPECT_EQ(text_of({file}, options_of(Documents::kFile), false, 64), "emma\n\nolivia\n");
}

TEST_F(DocumentsTest, TheTokenizersReaderLearnsWhereDocumentsEnd) {
  const auto file = write("a.txt", "emma\nolivia\nava\n");
  for (const std::size_t chunk : kChunkSizes) {
    TextFiles text({file}, options_of(Documents::kLine), false, chunk);
    std::string all;
    for (std::string piece; text.next(piece);) all += piece + (text.ends_document() ? "|" : "");
    EXPECT_EQ(all, "emma|olivia|ava|") << chunk;
  }
  TextFiles stream({file}, {}, false);
  for (std::string piece; stream.next(piece);) EXPECT_FALSE(stream.ends_document());
}

TEST_F(DocumentsTest, PiecesEndWithALineEndWhereOneIsNear) {
  std::string lines;
  for (int line = 0; line < 200; ++line) lines += "line " + std::to_string(line) + "\n";
  const auto file = write("a.txt", lines);
  for (const Documents documents : {Documents::kNone, Documents::kBlankLine, Documents::kFile}) {
    TextFiles text({file}, options_of(documents), false, 64);
    std::string all;
    for (DocumentPiece piece; text.next_piece(piece);) {
      all += piece.text;
      if (all.size() + 1 < lines.size()) {
        EXPECT_EQ(piece.text.back(), '\n');
      }
      EXPECT_LE(piece.text.size(), 128u);
    }
    EXPECT_EQ(all, documents == Documents::kBlankLine ? lines.substr(0, lines.size() - 1) : lines);
  }
}

TEST_F(DocumentsTest, CutsALongLineWithoutLosingItsDocument) {
  const std::string line(1000, 'x');
  const auto file = write("a.txt", line + "\n" + line + "\n\nshort\n");
  EXPECT_EQ(documents_of({file}, options_of(Documents::kLine), 16), (Texts{line, line, "short"}));
  EXPECT_EQ(documents_of({file}, options_of(Documents::kBlankLine), 16), (Texts{line + "\n" + line, "short"}));
  TextFiles text({file}, options_of(Documents::kLine), false, 16);
  for (DocumentPiece piece; text.next_piece(piece);) EXPECT_LE(piece.text.size(), 32u);
}

TEST_F(DocumentsTest, PiecesKnowWhereTheyBegin) {
  const auto one = write("a.txt", "ab\n\ncd\n"), two = write("b.txt", "\u00e9\u00e9\u00e9\u00e9\u00e9\nx\n");
  TextFiles text({one, two}, options_of(Documents::kLine), false, 4);
  Texts places;
  for (DocumentPiece piece; text.next_piece(piece);) {
    places.push_back(text.current_file().filename().string() + ":" + std::to_string(piece.line) + ":" +
                     std::to_string(piece.column) + " " + piece.text);
  }
  EXPECT_EQ(places, (Texts{"a.txt:1:1 ab", "a.txt:3:1 cd", "b.txt:1:1 \u00e9\u00e9", "b.txt:1:3 \u00e9\u00e9",
                           "b.txt:1:5 \u00e9", "b.txt:2:1 x"}));
}

TEST_F(DocumentsTest, RewindBeginsAnewAlsoFromTheMiddle) {
  const auto file = write("a.txt", "one\ntwo\nthree\n");
  TextFiles text({file}, options_of(Documents::kLine), false, 4);
  std::string piece;
  ASSERT_TRUE(text.next(piece));
  ASSERT_TRUE(text.next(piece));
  text.rewind();
  EXPECT_EQ(text.bytes_read(), 0u);
  Texts all;
  while (text.next(piece)) all.push_back(piece);
  EXPECT_EQ(all.front(), "one");
  EXPECT_EQ(text.bytes_read(), text.total_bytes());
}

}  // namespace
}  // namespace tinylm
