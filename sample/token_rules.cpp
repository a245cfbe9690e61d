#include "sample/token_rules.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "core/errors.h"
#include "core/numbers.h"
#include "core/option_table.h"
#include "core/utf8.h"

namespace tinylm {
namespace {

constexpr std::string_view kIdMark = "id:";
constexpr double kLargestBias = 1e6;  // more would be the same, until numbers overflow

struct Bias {
  std::string token;
  std::optional<double> value;
};

/// Splits TOKEN=NUMBER at the last '=', since a token may be one itself.
Bias parse_bias(const std::string& text) {
  const std::size_t at = text.rfind('=');
  if (at == std::string::npos) return {text, std::nullopt};
  return {text.substr(0, at), parse_decimal(std::string_view(text).substr(at + 1))};
}

std::vector<TokenId> ids_by_number(std::string_view number, const Tokenizer& tokenizer, Problems& problems) {
  std::int64_t id = -1;
  const auto result = std::from_chars(number.data(), number.data() + number.size(), id);
  const bool whole = result.ec == std::errc() && result.ptr == number.data() + number.size();
  if (whole && id >= 0 && id < tokenizer.vocabulary_size()) return {static_cast<TokenId>(id)};
  problems.add("token id:" + utf8::visible(number) + ": expected id:0 to id:" +
               std::to_string(tokenizer.vocabulary_size() - 1) + ", the ids of this run's vocabulary");
  return {};
}

std::string how_it_is_written(const std::string& token, const Tokenizer& tokenizer) {
  std::string labels;
  try {
    for (const TokenId id : tokenizer.encode(token))
      labels += (labels.empty() ? "\"" : ", \"") + tokenizer.label(id) + "\"";
  } catch (const BadInput& error) {
    return error.what();
  }
  return "it is written as " + labels + "; name single tokens, by text or as id:N";
}

/// Every token that TOKEN means.
std::vector<TokenId> ids_of(const std::string& token, const Tokenizer& tokenizer, Problems& problems) {
  if (token.starts_with(kIdMark)) return ids_by_number(token.substr(kIdMark.size()), tokenizer, problems);
  std::vector<TokenId> ids;
  for (TokenId id = 0; id < tokenizer.vocabulary_size(); ++id)
    if (tokenizer.bytes_of(id) == token) ids.push_back(id);
  if (ids.empty() && token == tokenizer.label(tokenizer.end_id())) ids = {tokenizer.end_id()};
  if (ids.empty())
    problems.add("\"" + utf8::visible(token) + "\" is no token of this run: " + how_it_is_written(token, tokenizer));
  return ids;
}

}  // namespace

void TokenOptions::describe(OptionTable& table) {
  table
      .add("sample", "logit_bias", logit_bias,
           "add NUMBER to the token's logit; TOKEN: its text, END or id:N; may be repeated")
      .value_name = "TOKEN=NUMBER";
  table.add("sample", "ban", ban, "never choose this token; may be given more than once").value_name = "TOKEN";
  table.add("sample", "force", force, "begin what is generated with this text, then go on freely");
}

void TokenOptions::validate(Problems& problems) const {
  for (const std::string& text : logit_bias) {
    const Bias bias = parse_bias(text);
    problems.require(!bias.token.empty() && bias.value && std::abs(*bias.value) <= kLargestBias,
                     "logit_bias is '" + utf8::visible(text) +
                         "', expected TOKEN=NUMBER, such as e=-2.5 or id:7=1, with a "
                         "number from -1000000 to 1000000");
  }
  for (const std::string& token : ban)
    problems.require(!token.empty(), "ban is empty, expected a token's text, END or id:N");
}

TokenRules TokenOptions::rules(const Tokenizer& tokenizer) const {
  Problems problems;
  TokenRules rules;
  for (const std::string& text : logit_bias) {
    const Bias bias = parse_bias(text);
    for (const TokenId id : ids_of(bias.token, tokenizer, problems))
      rules.biases.emplace_back(id, bias.value.value_or(0.0));
  }
  for (const std::string& token : ban)
    for (const TokenId id : ids_of(token, tokenizer, problems)) rules.banned.push_back(id);
  try {
    rules.forced = tokenizer.encode(force);
  } catch (const BadInput& error) {
    problems.add(std::string("force: ") + error.what());
  }
  std::string all;
  for (const std::string& message : problems.messages()) all += (all.empty() ? "" : "\n") + message;
  if (!all.empty()) throw BadInput(all);
  return rules;
}

}  // namespace tinylm
