// The generation loop: prompt -> ids -> logits -> next id -> text, until a stop rule.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/run.h"
#include "sample/sampler.h"

namespace tinylm {

enum class FinishReason { kEnd, kStop, kLength, kTime };
const char* to_string(FinishReason reason);

struct GenerateOptions {
  std::int64_t max_tokens = 200;     // new tokens at most
  std::vector<std::string> stop;     // ends before the first of these texts appears in what was generated
  bool use_cache = true;             // false: the whole window again for every token (slower, same text)
  std::string overflow = "slide";    // at the end of the context: "slide" keeps the newer half of the window, "stop" ends
  double max_seconds = 0.0;          // 0: no limit
};

struct Generated {
  std::string text;                        // what was generated, without the prompt
  std::vector<TokenId> ids;                // END, if it came, is the last
  std::vector<double> log_probabilities;   // natural logarithms, one an id
  FinishReason finish_reason = FinishReason::kLength;
};

class Generator {
 public:
  Generator(LanguageModel model, const Tokenizer& tokenizer, Sampler sampler, TokenId empty_prompt_id);

  /// Ids a prompt begins from: the encoded text, after START where documents were trained; for an empty prompt empty_prompt_id alone. A prompt
  /// longer than the context keeps its last `context` tokens, and says so.
  std::vector<TokenId> prompt_ids(std::string_view prompt) const;

  /// `on_text` receives valid UTF-8 as it comes; together the pieces are Generated::text. `sample` numbers the texts of one seed.
  /// START is never generated. Checks stop_signal() and returns what there is.
  Generated generate(const std::vector<TokenId>& prompt, std::uint64_t sample, const GenerateOptions& options,
                     const std::function<void(std::string_view)>& on_text = {});

 private:
  LanguageModel model_;
  const Tokenizer& tokenizer_;
  Sampler sampler_;
  TokenId empty_prompt_id_;
};

}  // namespace tinylm
