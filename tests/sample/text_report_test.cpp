#include "sample/text_report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sample/scored_example.h"
#include "sample/scripted_model.h"
#include "test_support.h"

namespace tinylm {
namespace {

/// "a", then an e with an accent as two bytes, a quotation mark and a newline, by the byte tokenizer.
class TextReportTest : public ::testing::Test {
 protected:
  ScoredText report(std::vector<float> losses_nats) const {
    ScoredText text{"runs/mine", "step-20", {}, tokens_.range(), tokenizer_.get(), std::move(losses_nats)};
    text.score.tokens = 4;
    text.score.bytes = 8;
    text.score.total_loss_nats = 8.0;
    return text;
  }
  nlohmann::json json(const ScoredText& text) const {
    std::ostringstream out;
    write_json(out, text);
    EXPECT_EQ(out.str().find('\n'), out.str().size() - 1) << "one line";
    return nlohmann::json::parse(out.str());
  }

  std::unique_ptr<Tokenizer> tokenizer_ = test::tokenizer_over("byte", "a");
  test::TokensOf tokens_{tokenizer_->encode("a\u00e9\"\n"), *tokenizer_};
};

TEST_F(TextReportTest, SummaryHasALineAFigure) {
  EXPECT_EQ(summary_text(report({})),
            "run runs/mine, step-20\n"
            "\n"
            "tokens           4\n"
            "bytes            8\n"
            "total nats  8.0000\n"
            "nats/token  2.0000\n"
            "bits/token  2.8854\n"    // 2 / ln 2
            "perplexity  7.3891\n"    // e^2
            "bits/byte   1.4427\n");  // 8 / ln 2 / 8
}

TEST_F(TextReportTest, SurprisesShowWhatStoodBefore) {
  const std::int64_t quote = tokenizer_->encode("\"")[0], newline = tokenizer_->encode("\n")[0];
  const std::vector<TokenLoss> surprises{{3, static_cast<TokenId>(quote), 5.0},
                                         {4, static_cast<TokenId>(newline), 1.0}};
  EXPECT_EQ(surprises_text(report({}), surprises),
            "What surprised it most:\n"
            "position    nats  probability  token  after\n"
            "       3  5.0000       0.0067  \"      \"a\u00e9\"\n"
            "       4  1.0000         0.37  \u23CE      \"a\u00e9\"\"\n");
}

TEST_F(TextReportTest, SurprisesLookBackToTheBeginningOfTheDocument) {
  std::vector<TokenId> ids = tokenizer_->encode("abc");
  ids.insert(ids.begin() + 1, tokenizer_->start_id());
  const test::TokensOf tokens(ids, *tokenizer_);
  ScoredText text = report({});
  text.tokens = tokens.range();
  expect_contains(surprises_text(text, {{3, ids[3], 1.0}}), "c      \"b\"\n");
}

TEST_F(TextReportTest, TableHasALineAToken) {
  std::ostringstream out;
  write_token_table(out, report({0.0F, 1.0F, 2.5F, 12.0F}));
  EXPECT_EQ(out.str(),
            "  position  probability      nats  token\n"
            "         1            1    0.0000  <C3>\n"
            "         2         0.37    1.0000  <A9>\n"
            "         3        0.082    2.5000  \"\n"
            "         4      6.1e-06   12.0000  \u23CE\n");
}

TEST_F(TextReportTest, JsonReadsBackToTheSameValues) {
  const nlohmann::json object = json(report({}));
  EXPECT_EQ(object.at("run"), "runs/mine");
  EXPECT_EQ(object.at("checkpoint"), "step-20");
  EXPECT_EQ(object.at("tokens"), 4);
  EXPECT_EQ(object.at("bytes"), 8);
  EXPECT_EQ(object.at("total_loss_nats"), 8.0);
  EXPECT_EQ(object.at("mean_loss_nats"), 2.0);
  EXPECT_NEAR(object.at("mean_loss_bits"), 2.0 / std::log(2.0), 1e-12);
  EXPECT_NEAR(object.at("perplexity"), std::exp(2.0), 1e-12);
  EXPECT_NEAR(object.at("bits_per_byte"), 1.0 / std::log(2.0), 1e-12);
  EXPECT_FALSE(object.contains("losses"));
}

TEST_F(TextReportTest, JsonHasTheLossesThatWereKept) {
  const nlohmann::json losses = json(report({0.1F, 1.0F, 2.5F, 12.0F})).at("losses");
  ASSERT_EQ(losses.size(), 4U);
  EXPECT_EQ(losses[0].at("text"), "<C3>");
  EXPECT_EQ(losses[0].at("loss_nats"), 0.1) << "the shortest form of the float";
  EXPECT_EQ(losses[2], (nlohmann::json{{"id", tokenizer_->encode("\"")[0]}, {"text", "\""}, {"loss_nats", 2.5}}));
  EXPECT_EQ(losses[3].at("text"), "\n");
}

TEST_F(TextReportTest, JsonHasNullForWhatIsNotFinite) {
  ScoredText text = report({});
  text.score.bytes = 0;
  text.score.total_loss_nats = 4000.0;
  EXPECT_TRUE(json(text).at("bits_per_byte").is_null());
  EXPECT_TRUE(json(text).at("perplexity").is_null());
}

TEST_F(TextReportTest, CsvQuotesTexts) {
  const auto line = [&](const std::string& bytes) {
    return csv_line({7, tokenizer_->encode(bytes).front(), 0.25}, *tokenizer_);
  };
  EXPECT_EQ(line("a"), "7,97,\"a\",0.25\n");
  EXPECT_EQ(line("\""), "7,34,\"\"\"\",0.25\n");
  EXPECT_EQ(line(","), "7,44,\",\",0.25\n");
  EXPECT_EQ(line("\n"), "7,10,\"\n\",0.25\n");
  EXPECT_EQ(line("\u00e9"), "7,195,\"<C3>\",0.25\n");
  EXPECT_EQ(csv_line({1, tokenizer_->end_id(), 3.0}, *tokenizer_),
            "1," + std::to_string(tokenizer_->end_id()) + ",\"\",3\n");
}

}  // namespace
}  // namespace tinylm
