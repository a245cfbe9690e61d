#include "serve/choice_json.h"

#include <utility>

#include "core/json_numbers.h"
#include "sample/token_text.h"

namespace tinylm {

namespace {

std::int64_t characters_in(const std::string& text) {
  std::int64_t count = 0;
  for (const char byte : text)
    count += (static_cast<unsigned char>(byte) & 0xC0) != 0x80;  // but for the bytes within one
  return count;
}

}  // namespace

std::string ChoiceJson::name_of(TokenId id) const {
  const bool special = id == tokenizer_.start_id() || id == tokenizer_.end_id();
  return special ? tokenizer_.label(id) : token_text(tokenizer_, id);
}

void ChoiceJson::add_chances(TokenId id, const Choice* token) {
  tokens_.push_back(name_of(id));
  offsets_.push_back(offset_);
  offset_ += characters_in(decoder_.push(id));
  if (token == nullptr) {
    log_probabilities_.push_back(nullptr);
    tops_.push_back(nullptr);
    return;
  }
  log_probabilities_.push_back(number_or_null(token->log_probability));
  nlohmann::ordered_json top = nlohmann::ordered_json::object();
  for (const auto& [other, log_probability] : token->alternatives)
    top.emplace(name_of(other), number_or_null(log_probability));
  top.emplace(name_of(id), number_or_null(token->log_probability));
  tops_.push_back(std::move(top));
}

void ChoiceJson::add_token(const Choice& token) {
  ids_.push_back(token.id);
  if (chances_) add_chances(token.id, &token);
}

void ChoiceJson::add_prompt_token(TokenId id, const Choice* token) {
  if (chances_ && id != tokenizer_.start_id()) add_chances(id, token);
}

nlohmann::ordered_json ChoiceJson::take(const char* finish_reason) {
  using Json = nlohmann::ordered_json;
  Json choice = {{"text", std::exchange(text_, "")}, {"index", index_}, {"logprobs", nullptr}};
  if (chances_) {
    choice["logprobs"] = {{"tokens", std::exchange(tokens_, Json::array())},
                          {"token_logprobs", std::exchange(log_probabilities_, Json::array())},
                          {"top_logprobs", std::exchange(tops_, Json::array())},
                          {"text_offset", std::exchange(offsets_, Json::array())}};
  }
  choice["finish_reason"] = finish_reason == nullptr ? Json(nullptr) : Json(finish_reason);
  choice["token_ids"] = std::exchange(ids_, {});
  return choice;
}

}  // namespace tinylm
