// One of the texts of a completion, as the OpenAI interface shows it: whole, or in pieces of a stream.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "sample/choice.h"
#include "tokenizer/tokenizer.h"

namespace tinylm {

/// Gathers text and tokens until they are taken.
class ChoiceJson {
 public:
  /// `chances`: whether "logprobs" is filled; else it is null.
  ChoiceJson(const Tokenizer& tokenizer, std::int64_t index, bool chances)
      : tokenizer_(tokenizer), decoder_(tokenizer), index_(index), chances_(chances) {}

  void add_text(std::string_view text) { text_ += text; }
  /// A token that was generated.
  void add_token(const Choice& token);
  /// A token of the prompt, which is not among "token_ids"; nothing is known about the first. START is left out.
  void add_prompt_token(TokenId id, const Choice* token);

  /// {"text", "index", "logprobs", "finish_reason", "token_ids"} of what was added since the last time.
  /// `finish_reason`: nullptr while the text goes on.
  nlohmann::ordered_json take(const char* finish_reason);

 private:
  void add_chances(TokenId id, const Choice* token);
  std::string name_of(TokenId id) const;

  const Tokenizer& tokenizer_;
  StreamDecoder decoder_;
  std::int64_t index_, offset_ = 0;
  bool chances_;
  std::string text_;
  std::vector<TokenId> ids_;
  nlohmann::ordered_json tokens_ = nlohmann::ordered_json::array(), log_probabilities_ = tokens_, tops_ = tokens_,
                         offsets_ = tokens_;
};

}  // namespace tinylm
