#include "sample/prompt.h"

#include <sstream>

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include "core/errors.h"
#include "sample/scripted_model.h"

namespace tinylm {
namespace {

/// What is logged while it lives.
class LogCapture {
 public:
  LogCapture() : before_(spdlog::default_logger()) {
    spdlog::set_default_logger(
        std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(stream_)));
  }
  ~LogCapture() { spdlog::set_default_logger(before_); }
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;
  std::string text() const { return stream_.str(); }

 private:
  std::ostringstream stream_;
  std::shared_ptr<spdlog::logger> before_;
};

class Prompt : public ::testing::Test {
 protected:
  std::vector<TokenId> ids_of(std::string_view prompt, TokenId empty_prompt_id, std::int64_t context = 16) const {
    return prompt_ids(prompt, *tokenizer_, empty_prompt_id, context);
  }
  std::unique_ptr<Tokenizer> tokenizer_ = test::tokenizer_over("char", "abc\n");
  TokenId start_ = tokenizer_->start_id();
  TokenId newline_ = tokenizer_->encode("\n").front();
};

TEST_F(Prompt, BeginsWithStartWhereDocumentsWereTrained) {
  std::vector<TokenId> expected = {start_};
  tokenizer_->encode("abc", expected);
  EXPECT_EQ(ids_of("abc", start_), expected);
}

TEST_F(Prompt, IsTheTextAloneWhereTheyWereNot) {
  EXPECT_EQ(ids_of("abc", newline_), tokenizer_->encode("abc"));
}

TEST_F(Prompt, EmptyIsStartWhereDocumentsWereTrained) {
  const LogCapture log;
  EXPECT_EQ(ids_of("", start_), std::vector<TokenId>{start_});
  EXPECT_EQ(log.text(), "");
}

TEST_F(Prompt, EmptyIsTheGivenTokenElseAndSaysSo) {
  const LogCapture log;
  EXPECT_EQ(ids_of("", newline_), std::vector<TokenId>{newline_});
  EXPECT_NE(log.text().find("the prompt is empty"), std::string::npos) << log.text();
  EXPECT_NE(log.text().find(tokenizer_->label(newline_)), std::string::npos) << log.text();
}

TEST_F(Prompt, LongerThanTheContextKeepsTheLastTokensAndSaysSo) {
  const LogCapture log;
  EXPECT_EQ(ids_of("abcab", start_, 3), tokenizer_->encode("cab"));
  EXPECT_NE(log.text().find("the prompt has 6 tokens and the model's context is 3: only the last 3 are used"),
            std::string::npos)
      << log.text();
}

TEST_F(Prompt, IsLeftWholeAndUnsaidForThoseWhoCutItThemselves) {
  const LogCapture log;
  EXPECT_EQ(whole_prompt_ids("", *tokenizer_, newline_), std::vector<TokenId>{newline_});
  EXPECT_EQ(whole_prompt_ids("abcab", *tokenizer_, newline_), tokenizer_->encode("abcab"));
  EXPECT_EQ(log.text(), "");
}

TEST_F(Prompt, OfACharacterNeverSeenIsTheTokenizersError) {
  EXPECT_THROW(ids_of("abx", start_), BadInput);
}

}  // namespace
}  // namespace tinylm
