#include "sample/generator.h"

#include <chrono>
#include <cmath>
#include <optional>

#include "core/errors.h"
#include "core/numbers.h"
#include "core/option_table.h"
#include "core/signals.h"
#include "core/utf8.h"
#include "sample/context_window.h"
#include "sample/prompt.h"
#include "sample/stop_matcher.h"

namespace tinylm {

namespace {

using Clock = std::chrono::steady_clock;

/// From ids to the text that may be shown: whole characters, nothing of a stop text.
class TextOutput {
 public:
  TextOutput(const Tokenizer& tokenizer, const GenerateOptions& options,
             const std::function<void(std::string_view)>& on_text, std::string& text)
      : decoder_(tokenizer), matcher_(options.stop), on_text_(on_text), text_(text) {}

  /// False when a stop text is complete.
  bool push(TokenId id) {
    show(matcher_.push(decoder_.push(id)));
    return !matcher_.stopped();
  }
  void finish() {
    show(matcher_.push(decoder_.finish()));
    show(matcher_.finish());
  }

 private:
  void show(const std::string& piece) {
    if (piece.empty()) return;
    text_ += piece;
    if (on_text_) on_text_(piece);
  }

  StreamDecoder decoder_;
  StopMatcher matcher_;
  const std::function<void(std::string_view)>& on_text_;
  std::string& text_;
};

bool out_of_time(Clock::time_point start, double max_seconds) {
  return max_seconds > 0.0 && std::chrono::duration<double>(Clock::now() - start).count() >= max_seconds;
}

}  // namespace

const char* to_string(FinishReason reason) {
  switch (reason) {
    case FinishReason::kEnd:
      return "end";
    case FinishReason::kStop:
      return "stop";
    case FinishReason::kLength:
      return "length";
    case FinishReason::kTime:
      break;
  }
  return "time";
}

void GenerateOptions::describe(OptionTable& table) {
  table.add("sample", "max_tokens", max_tokens, "new tokens at most");
  table.add("sample", "stop", stop, "end before this text would appear; may be given more than once");
  table.add("sample", "cache", use_cache,
            "keep keys and values of earlier tokens; off is slower and gives the same text");
  table.add_choice("sample", "overflow", overflow, {{"slide", Overflow::kSlide}, {"stop", Overflow::kStop}},
                   "at the end of the context: slide keeps its newer half and goes on, stop ends the text");
  table.add("sample", "max_seconds", max_seconds, "end a text after this many seconds; 0: no limit");
}

void GenerateOptions::validate(Problems& problems) const {
  problems.require(max_tokens >= 1, "max_tokens is " + std::to_string(max_tokens) + ", expected at least 1");
  problems.require(std::isfinite(max_seconds) && max_seconds >= 0.0,
                   "max_seconds is " + shortest(max_seconds) + ", expected 0 (no limit) or a positive number");
  for (const std::string& text : stop) {
    problems.require(!text.empty(), "stop is empty, expected a text that ends the sample");
    problems.require(!utf8::find_invalid(text),
                     "stop \"" + utf8::visible(text) + "\" is not UTF-8: it could never appear");
  }
}

Generator::Generator(LanguageModel model, const Tokenizer& tokenizer, const Sampler& sampler, TokenId empty_prompt_id)
    : model_(std::move(model)), tokenizer_(tokenizer), sampler_(sampler), empty_prompt_id_(empty_prompt_id) {
  const std::int64_t V = model_->config().vocabulary_size;
  if (tokenizer_.vocabulary_size() != V) {
    throw BadInput("the model knows " + std::to_string(V) + " tokens and the tokenizer " +
                   std::to_string(tokenizer_.vocabulary_size()) + ": they must come from the same run");
  }
  if (model_->config().attention_mask == MaskKind::kNone) {
    throw WrongUse(
        "this model was trained with attention_mask none: it saw the tokens that it was asked to predict, and "
        "there are none to see when a text is continued or an answer is asked for; train a model without that setting");
  }
  model_->eval();
}

std::vector<TokenId> Generator::prompt_ids(std::string_view prompt) const {
  return tinylm::prompt_ids(prompt, tokenizer_, empty_prompt_id_, model_->config().context);
}

Generated Generator::generate(const std::vector<TokenId>& prompt, std::uint64_t sample, const GenerateOptions& options,
                              const std::function<void(std::string_view)>& on_text) {
  Problems problems;
  options.validate(problems);
  problems.throw_if_any();

  const auto start = Clock::now();
  const std::vector<TokenId> banned = {tokenizer_.start_id()};
  ContextWindow window(model_, prompt, options.use_cache);
  Generated result;
  TextOutput output(tokenizer_, options, on_text, result.text);

  const auto next = [&]() -> std::optional<FinishReason> {
    if (stop_signal() != 0 || out_of_time(start, options.max_seconds)) return FinishReason::kTime;
    const Choice choice = sampler_.choose(window.next_logits(), sample, result.ids.size(), banned);
    result.ids.push_back(choice.id);
    result.log_probabilities.push_back(choice.log_probability);
    if (choice.id == tokenizer_.end_id()) return FinishReason::kEnd;
    if (!output.push(choice.id)) return FinishReason::kStop;
    if (static_cast<std::int64_t>(result.ids.size()) >= options.max_tokens) return FinishReason::kLength;
    if (options.enough_bytes > 0 && result.text.size() >= options.enough_bytes) return FinishReason::kLength;
    if (window.full()) {
      if (options.overflow == Overflow::kStop) return FinishReason::kLength;
      window.slide();
    }
    window.push(choice.id);
    return std::nullopt;
  };

  std::optional<FinishReason> reason;
  while (!reason) reason = next();
  result.finish_reason = *reason;
  output.finish();
  return result;
}

}  // namespace tinylm
