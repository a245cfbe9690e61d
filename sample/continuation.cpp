#include "sample/continuation.h"

#include <algorithm>
#include <string>

#include "core/errors.h"
#include "sample/prompt.h"

namespace tinylm {

Continuation continuation_of(std::string_view prompt, std::string_view text, const Tokenizer& tokenizer,
                             TokenId empty_prompt_id) {
  const std::vector<TokenId> before = whole_prompt_ids(prompt, tokenizer, empty_prompt_id);
  Continuation continuation;
  if (prompt.empty()) {
    continuation.ids = before;
    tokenizer.encode(text, continuation.ids);
  } else {
    continuation.ids = whole_prompt_ids(std::string(prompt) + std::string(text), tokenizer, empty_prompt_id);
  }
  std::vector<TokenId>& ids = continuation.ids;
  const auto border = std::mismatch(ids.begin(), ids.end(), before.begin(), before.end()).first;
  continuation.tokens = ids.end() - border;
  // The first id of all is predicted by none: something has to stand before it.
  if (border == ids.begin()) ids.insert(ids.begin(), empty_prompt_id);
  return continuation;
}

double log_likelihood(LanguageModel& model, const Continuation& continuation) {
  const std::int64_t context = model->config().context, tokens = continuation.tokens;
  if (tokens > context) {
    throw BadInput("a continuation of " + std::to_string(tokens) + " tokens does not fit in the model's context of " +
                   std::to_string(context) + ": shorten it or train with a larger --context");
  }
  model->eval();
  const torch::NoGradGuard no_grad;
  const auto size = static_cast<std::int64_t>(continuation.ids.size());
  const std::int64_t T = std::min(size - 1, context);
  const std::vector<std::int64_t> window(continuation.ids.end() - (T + 1), continuation.ids.end());
  const torch::Tensor ids = torch::tensor(window);  // [T + 1]
  const torch::Tensor logits = model
                                   ->forward(ids.slice(0, 0, T).unsqueeze(0))  // [1, T, V]
                                   .squeeze(0)
                                   .slice(0, T - tokens)
                                   .to(torch::kCPU, torch::kFloat64);       // [tokens, V]
  const torch::Tensor targets = ids.slice(0, T + 1 - tokens).unsqueeze(1);  // [tokens, 1]
  return torch::log_softmax(logits, -1).gather(1, targets).sum().item<double>();
}

}  // namespace tinylm
