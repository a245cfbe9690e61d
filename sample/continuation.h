// A text that follows a prompt, as ids, and how likely a model takes it to be.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/model.h"
#include "tokenizer/tokenizer.h"

namespace tinylm {

struct Continuation {
  std::vector<TokenId> ids;  // prompt and text together
  std::int64_t tokens = 0;   // how many ids at the end count as the text: 1 to ids.size() - 1
};

/// Encodes `prompt` and `text` (not empty) as one text that begins as sample/prompt.h says; nothing is cut off. The
/// text's ids are those after the longest common beginning with the prompt's own ids: where the tokenizer joins
/// characters across the border, the first of them holds the prompt's end too. When that leaves nothing of the prompt,
/// `empty_prompt_id` stands before. Throws the tokenizer's BadInput.
Continuation continuation_of(std::string_view prompt, std::string_view text, const Tokenizer& tokenizer,
                             TokenId empty_prompt_id);

/// ln p(the continuation's own ids | the ids before them) in nats, never above 0: one forward pass, log-softmax in
/// float64, summed. Of more ids than the context holds the earliest are left out; the last id is only predicted. Puts
/// `model` into evaluation mode. Throws BadInput when the continuation's own ids are more than the context.
double log_likelihood(LanguageModel& model, const Continuation& continuation);

}  // namespace tinylm
