// What the tokenizer tests share: texts, readers over them, and the message of an expected error.
#pragma once

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/text_reader.h"

namespace tinylm {

/// A text in pieces of about `piece_bytes`, cut at code point borders.
class StringReader : public TextReader {
 public:
  explicit StringReader(std::string text, std::size_t piece_bytes = 100'000)
      : text_(std::move(text)), piece_bytes_(piece_bytes) {}
  bool next(std::string& piece) override {
    if (at_ == text_.size()) return false;
    std::size_t end = std::min(text_.size(), at_ + piece_bytes_);
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80) ++end;
    piece = text_.substr(at_, end - at_);
    at_ = end;
    return true;
  }
  void rewind() override { at_ = 0; }

 private:
  std::string text_;
  std::size_t piece_bytes_;
  std::size_t at_ = 0;
};

/// The message of the Expected that `work` throws; fails the test when it throws none.
template <class Expected, class Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const Expected& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error of the expected type was thrown";
  return "";
}

inline void expect_words(const std::string& message, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    EXPECT_NE(message.find(word), std::string::npos) << "\"" << word << "\" is not in: " << message;
  }
}

/// Keeps what is logged while it lives.
class CapturedLog {
 public:
  CapturedLog() {
    auto logger = std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text_));
    logger->set_pattern("%v");
    spdlog::set_default_logger(logger);
  }
  ~CapturedLog() { spdlog::set_default_logger(previous_); }
  std::string text() const { return text_.str(); }

 private:
  std::shared_ptr<spdlog::logger> previous_ = spdlog::default_logger();
  std::ostringstream text_;
};

/// UTF-8 by the table of RFC 3629, independent of the program's own.
inline std::string utf8_of(std::uint32_t c) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0 | (c >> 6)), tail(0)};
  if (c < 0x10000) return {static_cast<char>(0xE0 | (c >> 12)), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | (c >> 18)), tail(12), tail(6), tail(0)};
}

/// Valid UTF-8 of every kind that has broken a tokenizer: all planes, controls, sentencepiece's own marks, names of
/// special pieces, combining characters, emoji joined by U+200D, CR LF, runs of spaces.
inline std::string random_text(std::mt19937& random) {
  static const std::vector<std::string> kParts{" ",
                                               "  ",
                                               "     ",
                                               "\n",
                                               "\n\n",
                                               "\r\n",
                                               "\t",
                                               "\u2581",
                                               "\u2581\u2581",
                                               "\u2585",
                                               "e\u0301",
                                               "the ",
                                               "<s>",
                                               "</s>",
                                               "<unk>",
                                               "<0x41>",
                                               "<0x0A>",
                                               "<pad>",
                                               "START",
                                               "\uFEFF",
                                               "\uFFFD",
                                               "\u2026",
                                               "\u3000",
                                               "hello",
                                               " a",
                                               "\u00A0",
                                               "\u00E9",
                                               "\u4E2D\u6587",
                                               "\U0001F469\u200D\U0001F469\u200D\U0001F467\uFE0F",
                                               "\U0001F1EB\U0001F1F7",
                                               "\u05E9\u05DC\u05D5\u05DD",
                                               std::string(1, '\0'),
                                               "\x7F"};
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  std::string text;
  for (std::uint32_t parts = below(12); parts > 0; --parts) {
    std::uint32_t c = 0;
    switch (below(4)) {
      case 0:
        text += kParts[below(static_cast<std::uint32_t>(kParts.size()))];
        break;
      case 1:
        text += utf8_of(below(0x80));
        break;
      case 2:
        text += utf8_of('a' + below(26));
        break;
      default:
        do c = below(0x110000);
        while (c >= 0xD800 && c < 0xE000);
        text += utf8_of(c);
    }
  }
  return text;
}

inline std::vector<std::string> random_texts(std::size_t count) {
  std::mt19937 random(20240607);
  std::vector<std::string> texts;
  while (texts.size() < count) texts.push_back(random_text(random));
  return texts;
}

/// Some prose to learn pieces from.
inline std::string prose() {
  return "The fox came down to the river in the evening and found the heron standing in the shallows.\n"
         "\"You stand there every evening,\" said the fox, \"and every evening you catch a fish. How is it done?\"\n"
         "\"I stand,\" said the heron, \"and the evening does the rest.\"\n"
         "\n"
         "So the fox stood in the river the whole of the next evening. The river was cold, and the fish went around "
         "him,\n"
         "and when the moon rose he went home hungry and told the other foxes that fish are not worth the standing.\n"
         "  \"Standing is not the whole of it,\" said the heron,  when she heard.  \"There is also the waiting.\"\n"
         "The caf\u00E9 by the river has 12 tables, 48 chairs and 3 rules: no shouting, no swimming, no foxes.\n";
}

}  // namespace tinylm
