// A text while it is generated: from chosen tokens to text that may be shown, until a stop rule.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sample/choice.h"
#include "sample/generator.h"
#include "sample/stop_matcher.h"
#include "tokenizer/tokenizer.h"

namespace tinylm {

/// A copy goes on by itself.
class GrowingText {
 public:
  /// `sample`: its number. The references must outlive the text.
  GrowingText(const Tokenizer& tokenizer, const std::vector<TokenId>& prompt, std::uint64_t sample,
              const GenerateOptions& options, const TextListener& listener);

  std::uint64_t sample() const { return sample_; }
  /// What stands before the next token; until the next push().
  History history() const { return {ids_, prompt_tokens_}; }

  /// Adds the next token. True when the text ends with it; then it is finished.
  bool push(const Choice& choice);
  /// Ends the text for a reason from outside.
  void finish(FinishReason reason);
  /// The finished text.
  Generated take() { return std::move(generated_); }

 private:
  std::optional<FinishReason> reason_to_end(TokenId id);
  void show(const std::string& piece);

  const Tokenizer& tokenizer_;
  std::vector<TokenId> ids_;  // prompt and text
  std::size_t prompt_tokens_;
  std::uint64_t sample_;
  const GenerateOptions& options_;
  const TextListener& listener_;
  StreamDecoder decoder_;
  StopMatcher matcher_;
  Generated generated_;
};

}  // namespace tinylm
