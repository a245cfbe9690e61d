#include "sample/prompt.h"

#include <spdlog/spdlog.h>

#include "core/numbers.h"

namespace tinylm {

std::vector<TokenId> whole_prompt_ids(std::string_view prompt, const Tokenizer& tokenizer, TokenId empty_prompt_id) {
  if (prompt.empty()) return {empty_prompt_id};
  std::vector<TokenId> ids;
  if (empty_prompt_id == tokenizer.start_id()) ids.push_back(tokenizer.start_id());
  tokenizer.encode(prompt, ids);
  return ids;
}

std::vector<TokenId> prompt_ids(std::string_view prompt, const Tokenizer& tokenizer, TokenId empty_prompt_id,
                                std::int64_t context) {
  if (prompt.empty() && empty_prompt_id != tokenizer.start_id()) {
    spdlog::info("the prompt is empty, and this model was trained on a text without beginnings: it starts from \"{}\"",
                 tokenizer.label(empty_prompt_id));
  }
  std::vector<TokenId> ids = whole_prompt_ids(prompt, tokenizer, empty_prompt_id);
  const auto size = static_cast<std::int64_t>(ids.size());
  if (size > context) {
    spdlog::warn("the prompt has {} tokens and the model's context is {}: only the last {} are used", grouped(size),
                 grouped(context), grouped(context));
    ids.erase(ids.begin(), ids.end() - static_cast<std::ptrdiff_t>(context));
  }
  return ids;
}

}  // namespace tinylm
