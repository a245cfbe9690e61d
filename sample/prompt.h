// How a prompt begins: shared by everything that runs a trained model over a text of the user's.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace tinylm {

/// The encoded prompt, after START where documents were trained (`empty_prompt_id` is START then). An empty prompt is
/// `empty_prompt_id` alone. Throws the tokenizer's BadInput for a text it cannot encode.
std::vector<TokenId> whole_prompt_ids(std::string_view prompt, const Tokenizer& tokenizer, TokenId empty_prompt_id);

/// The same for a model's `context`: of more tokens the last ones are kept, with a warning. Says what an empty prompt
/// begins from where that is no START.
std::vector<TokenId> prompt_ids(std::string_view prompt, const Tokenizer& tokenizer, TokenId empty_prompt_id,
                                std::int64_t context);

}  // namespace tinylm
