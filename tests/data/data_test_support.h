// What the tests of the data room share: folders with small files, a log to look into, messages of errors.
#pragma once

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "data/text_files.h"
#include "test_support.h"
#include "tokenizer/registry.h"

namespace tinylm {

/// A test in an empty folder of its own, which is removed afterwards.
class FolderTest : public ::testing::Test {
 protected:
  void SetUp() override { folder_ = test::fresh_folder(); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    const std::filesystem::path file = folder_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }

  std::filesystem::path folder_;
};

/// With the char tokenizer of the letters a..e, space and newline: newline 0, space 1, a 2, ..., e 6, START 7, END 8.
class LettersTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    TextFiles text({write("alphabet", "abcde \n")}, {}, false);
    tokenizer_ = make_tokenizer({}, 0, text);
    ASSERT_EQ(tokenizer_->encode("\n ae"), (std::vector<TokenId>{0, 1, 2, 6}));
    ASSERT_EQ(tokenizer_->start_id(), 7);
    ASSERT_EQ(tokenizer_->end_id(), 8);
  }

  std::unique_ptr<Tokenizer> tokenizer_;
};

/// Everything logged while it lives.
class LogCapture {
 public:
  LogCapture() : before_(spdlog::default_logger()) {
    auto logger = std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text_));
    spdlog::set_default_logger(logger);
  }
  ~LogCapture() { spdlog::set_default_logger(before_); }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::shared_ptr<spdlog::logger> before_;
};

using test::message_of;

inline void expect_mentions(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << "\"" << part << "\" is not in: " << message;
  }
}

/// All text of `files`, read in chunks of `chunk_bytes`.
inline std::string text_of(const std::vector<std::filesystem::path>& files, const TextOptions& options, bool any_bytes,
                           std::size_t chunk_bytes) {
  TextFiles text(files, options, any_bytes, chunk_bytes);
  std::string all;
  for (std::string piece; text.next(piece);) all += piece;
  return all;
}

/// The documents of `files`, joined from pieces by their flags, which are checked.
inline std::vector<std::string> documents_of(const std::vector<std::filesystem::path>& files,
                                             const TextOptions& options, std::size_t chunk_bytes) {
  TextFiles text(files, options, /*any_bytes=*/false, chunk_bytes);
  std::vector<std::string> documents;
  bool within = false;
  for (DocumentPiece piece; text.next_piece(piece);) {
    EXPECT_EQ(piece.begins_document, !within);
    if (piece.begins_document) documents.emplace_back();
    if (documents.empty()) documents.emplace_back();
    documents.back() += piece.text;
    within = !piece.ends_document;
  }
  EXPECT_FALSE(within) << "the last document has no end";
  return documents;
}

/// Chunk sizes that put borders everywhere in a short text, and the one that is used.
inline const std::vector<std::size_t> kChunkSizes{1, 2, 3, 4, 5, 7, 16, std::size_t{1} << 18};

}  // namespace tinylm
