#include "sample/generator.h"

#include <cmath>
#include <exception>
#include <memory>
#include <optional>

#include "core/errors.h"
#include "core/numbers.h"
#include "core/option_table.h"
#include "core/parallel.h"
#include "core/signals.h"
#include "core/stop_watch.h"
#include "core/utf8.h"
#include "sample/context_window.h"
#include "sample/growing_text.h"
#include "sample/prompt.h"

namespace tinylm {

namespace {

// Texts that share a walk over the weights; more take more memory for keys and values and gain little.
constexpr std::uint64_t kTextsTogether = 32;
constexpr std::int64_t kDrawsPerThread = 4;

bool out_of_time(const StopWatch& since_start, double max_seconds) {
  return max_seconds > 0.0 && since_start.seconds() >= max_seconds;
}

void tell(const TextListener& listener, const std::vector<Choice>& choices, const torch::Tensor& logits,
          const std::vector<GrowingText*>& texts) {
  if (!listener.on_choice) return;
  const auto V = static_cast<std::size_t>(logits.size(1));
  for (std::size_t i = 0; i < choices.size(); ++i)
    listener.on_choice(texts[i]->sample(), choices[i], {logits.data_ptr<float>() + i * V, V});
}

/// Adds a choice to each text, and takes those that end with it out of `texts` and the window. Gives the ids of the
/// others.
std::vector<TokenId> push_all(const std::vector<Choice>& choices, std::vector<GrowingText*>& texts,
                              ContextWindow& window) {
  std::vector<TokenId> ids;
  for (const Choice& choice : choices) ids.push_back(choice.id);
  for (std::size_t i = texts.size(); i-- > 0;) {  // backwards: the last one takes the place of what is removed
    if (!texts[i]->push(choices[i])) continue;
    window.remove(i);
    texts[i] = texts.back();
    ids[i] = ids.back();
    texts.pop_back();
    ids.pop_back();
  }
  return ids;
}

void finish_all(std::vector<GrowingText*>& texts, FinishReason reason) {
  for (GrowingText* text : texts) text->finish(reason);
  texts.clear();
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

std::vector<Choice> Generator::choose(const torch::Tensor& logits, const std::vector<GrowingText*>& texts) const {
  const std::vector<TokenId> banned = {tokenizer_.start_id()};
  const auto V = static_cast<std::size_t>(logits.size(1));
  const float* rows = logits.data_ptr<float>();
  std::vector<Choice> choices(texts.size());
  std::vector<std::exception_ptr> errors(texts.size());  // none may leave a parallel loop
  parallel_for(0, static_cast<std::int64_t>(texts.size()), kDrawsPerThread, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      try {
        choices[i] = sampler_.choose({rows + i * V, V}, texts[i]->sample(), texts[i]->position(), banned);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  });
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  return choices;
}

std::vector<Generated> Generator::generate_together(const std::vector<TokenId>& prompt, std::uint64_t first,
                                                    std::uint64_t count, const GenerateOptions& options,
                                                    const TextListener& listener) {
  const StopWatch since_start;
  std::vector<std::unique_ptr<GrowingText>> texts;
  std::vector<GrowingText*> growing;  // in the order of the window
  for (std::uint64_t sample = first; sample < first + count; ++sample) {
    texts.push_back(std::make_unique<GrowingText>(tokenizer_, sample, options, listener));
    growing.push_back(texts.back().get());
  }
  ContextWindow window(model_, prompt, static_cast<std::int64_t>(count), options.use_cache);
  while (!growing.empty()) {
    if (stop_signal() != 0 || out_of_time(since_start, options.max_seconds)) {
      finish_all(growing, FinishReason::kTime);
      break;
    }
    const torch::Tensor logits = window.next_logits();  // [texts, V]
    const std::vector<Choice> choices = choose(logits, growing);
    tell(listener, choices, logits, growing);
    const std::vector<TokenId> ids = push_all(choices, growing, window);
    if (growing.empty()) break;
    if (window.full() && options.overflow == Overflow::kStop) {
      finish_all(growing, FinishReason::kLength);
      break;
    }
    if (window.full()) window.slide();
    window.push(ids);
  }
  std::vector<Generated> all;
  for (const auto& text : texts) all.push_back(text->take());
  return all;
}

std::vector<Generated> Generator::generate_all(const std::vector<TokenId>& prompt, std::uint64_t first,
                                               std::uint64_t count, const GenerateOptions& options,
                                               const TextListener& listener) {
  Problems problems;
  options.validate(problems);
  problems.throw_if_any();
  // Elsewhere products of many rows may round otherwise than those of one text.
  const std::uint64_t together = options.use_cache && model_->decodes() ? kTextsTogether : 1;
  std::vector<Generated> all;
  std::uint64_t done = 0;
  do {
    for (Generated& text : generate_together(prompt, first + done, std::min(together, count - done), options, listener))
      all.push_back(std::move(text));
    done += together;
  } while (done < count && stop_signal() == 0);
  return all;
}

Generated Generator::generate(const std::vector<TokenId>& prompt, std::uint64_t sample, const GenerateOptions& options,
                              const std::function<void(std::string_view)>& on_text) {
  TextListener listener;
  if (on_text) listener.on_text = [&](std::uint64_t, std::string_view piece) { on_text(piece); };
  return std::move(generate_all(prompt, sample, 1, options, listener).front());
}

}  // namespace tinylm
