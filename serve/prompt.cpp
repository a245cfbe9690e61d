#include "serve/prompt.h"

#include "core/utf8.h"
#include "sample/prompt.h"
#include "serve/api_error.h"
#include "serve/fields.h"

namespace tinylm {

namespace {

constexpr std::size_t kMostPrompts = 32;
constexpr const char* kExpected = "a text, a list of token ids, or a list of up to 32 of these";

TokenId token_id(const nlohmann::json& value, std::int64_t vocabulary) {
  const bool whole = value.is_number_integer() && value.get<std::int64_t>() >= 0;
  if (!whole || value.get<std::int64_t>() >= vocabulary)
    refuse_field("prompt", "made of token ids from 0 to " + std::to_string(vocabulary - 1), value);
  return value.get<TokenId>();
}

Prompt read_prompt(const nlohmann::json& value, std::int64_t vocabulary) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array() || value.empty()) refuse_field("prompt", kExpected, value);
  std::vector<TokenId> ids;
  for (const nlohmann::json& id : value) ids.push_back(token_id(id, vocabulary));
  return ids;
}

}  // namespace

std::vector<Prompt> read_prompts(const nlohmann::json& value, std::int64_t vocabulary) {
  const bool several = value.is_array() && !value.empty() && (value.front().is_string() || value.front().is_array());
  if (!several) return {read_prompt(value, vocabulary)};
  if (value.size() > kMostPrompts) refuse_field("prompt", kExpected, value.size());
  std::vector<Prompt> prompts;
  for (const nlohmann::json& entry : value) prompts.push_back(read_prompt(entry, vocabulary));
  return prompts;
}

PromptTokens tokens_of(const Prompt& prompt, const LoadedModel& loaded) {
  PromptTokens tokens;
  if (const auto* ids = std::get_if<std::vector<TokenId>>(&prompt)) {
    tokens.ids = *ids;
    tokens.text = utf8::with_replacements(loaded.tokenizer->decode(*ids));
  } else {
    tokens.text = std::get<std::string>(prompt);
    tokens.ids = whole_prompt_ids(tokens.text, *loaded.tokenizer, loaded.empty_prompt_id);
  }
  tokens.dropped = std::max<std::int64_t>(0, std::ssize(tokens.ids) - loaded.config.model.context);
  tokens.ids.erase(tokens.ids.begin(), tokens.ids.begin() + tokens.dropped);
  return tokens;
}

}  // namespace tinylm
