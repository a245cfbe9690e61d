#include "sample/growing_text.h"

namespace tinylm {

GrowingText::GrowingText(const Tokenizer& tokenizer, const std::vector<TokenId>& prompt, std::uint64_t sample,
                         const GenerateOptions& options, const TextListener& listener)
    : tokenizer_(tokenizer),
      ids_(prompt),
      prompt_tokens_(prompt.size()),
      sample_(sample),
      options_(options),
      listener_(listener),
      decoder_(tokenizer),
      matcher_(options.stop) {}

bool GrowingText::push(const Choice& choice) {
  if (listener_.on_choice) listener_.on_choice(sample_, choice);
  ids_.push_back(choice.id);
  generated_.ids.push_back(choice.id);
  generated_.log_probabilities.push_back(choice.log_probability);
  generated_.entropies_nats.push_back(choice.entropy_nats);
  if (options_.alternatives > 0) generated_.alternatives.push_back(choice.alternatives);
  const std::optional<FinishReason> reason = reason_to_end(choice.id);
  if (reason) finish(*reason);
  return reason.has_value();
}

std::optional<FinishReason> GrowingText::reason_to_end(TokenId id) {
  if (id == tokenizer_.end_id()) return FinishReason::kEnd;
  show(matcher_.push(decoder_.push(id)));  // whole characters, nothing of a stop text
  if (matcher_.stopped()) return FinishReason::kStop;
  if (static_cast<std::int64_t>(generated_.ids.size()) >= options_.max_tokens) return FinishReason::kLength;
  if (options_.enough_bytes > 0 && generated_.text.size() >= options_.enough_bytes) return FinishReason::kLength;
  return std::nullopt;
}

void GrowingText::finish(FinishReason reason) {
  generated_.finish_reason = reason;
  show(matcher_.push(decoder_.finish()));
  show(matcher_.finish());
  if (listener_.on_end) listener_.on_end(sample_);
}

void GrowingText::show(const std::string& piece) {
  if (piece.empty()) return;
  generated_.text += piece;
  if (listener_.on_text) listener_.on_text(sample_, piece);
}

}  // namespace tinylm
