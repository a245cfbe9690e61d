#include "sample/token_rules.h"

#include <gtest/gtest.h>

#include "core/errors.h"
#include "core/option_table.h"
#include "sample/scripted_model.h"

namespace tinylm {
namespace {

std::string problems_of(const TokenOptions& options) {
  Problems problems;
  options.validate(problems);
  std::string all;
  for (const std::string& message : problems.messages()) all += message + "\n";
  return all;
}

std::string refusal_of(const TokenOptions& options, const Tokenizer& tokenizer) {
  try {
    options.rules(tokenizer);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "accepted";
}

class TokenRulesOf : public ::testing::Test {
 protected:
  TokenId id(const std::string& letter) const { return tokenizer_->encode(letter).front(); }
  std::unique_ptr<Tokenizer> tokenizer_ = test::tokenizer_over("char", "ab= \n");
};

TEST_F(TokenRulesOf, NameTokensByTextByIdAndEnd) {
  TokenOptions options;
  options.ban = {"a", "id:" + std::to_string(id("b")), "END"};
  options.logit_bias = {" =-1.5", "==2", "\n=+3"};
  options.force = "ba";
  const TokenRules rules = options.rules(*tokenizer_);
  EXPECT_EQ(rules.banned, (std::vector<TokenId>{id("a"), id("b"), tokenizer_->end_id()}));
  EXPECT_EQ(rules.biases, (std::vector<std::pair<TokenId, double>>{{id(" "), -1.5}, {id("="), 2.0}, {id("\n"), 3.0}}));
  EXPECT_EQ(rules.forced, (std::vector<TokenId>{id("b"), id("a")}));
}

TEST_F(TokenRulesOf, RefuseWhatIsNoTokenAllAtOnce) {
  TokenOptions options;
  options.ban = {"ab", "id:99", "id:x", "START"};
  options.force = "az";
  EXPECT_EQ(refusal_of(options, *tokenizer_).substr(0, 220),
            "\"ab\" is no token of this run: it is written as \"a\", \"b\"; name single tokens, by text or as id:N\n"
            "token id:99: expected id:0 to id:6, the ids of this run's vocabulary\n"
            "token id:x: expected id:0 to id:6, the ids of this run'");
  EXPECT_NE(refusal_of(options, *tokenizer_).find("force: "), std::string::npos);
  EXPECT_NE(refusal_of(options, *tokenizer_).find("\"START\" is no token"), std::string::npos);
}

TEST(TokenOptions, RefuseWhatCannotBeMeant) {
  TokenOptions options;
  options.logit_bias = {"a", "a=", "=1", "a=nan", "a=1e7", "a=0"};
  options.ban = {""};
  const std::string problems = problems_of(options);
  for (const std::string bad : {"'a'", "'a='", "'=1'", "'a=nan'", "'a=1e7'"})
    EXPECT_NE(
        problems.find("logit_bias is " + bad + ", expected TOKEN=NUMBER, such as e=-2.5 or id:7=1, with a number from"),
        std::string::npos)
        << bad;
  EXPECT_EQ(problems.find("'a=0'"), std::string::npos);
  EXPECT_NE(problems.find("ban is empty, expected a token's text, END or id:N"), std::string::npos);
}

TEST(TokenOptions, AreReadThroughTheOptionTable) {
  TokenOptions options;
  OptionTable table;
  options.describe(table);
  table.read_toml_text("[sample]\nlogit_bias = [\"a=1\"]\nban = [\"b\", \"c\"]\nforce = \"x\"\n", "t");
  EXPECT_EQ(options.logit_bias, (std::vector<std::string>{"a=1"}));
  EXPECT_EQ(options.ban, (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(options.force, "x");
}

}  // namespace
}  // namespace tinylm
