#include "sample/generator.h"

#include <cmath>
#include <utility>

#include "core/errors.h"
#include "core/numbers.h"
#include "core/option_table.h"
#include "core/signals.h"
#include "core/stop_watch.h"
#include "core/utf8.h"
#include "sample/beam_search.h"
#include "sample/context_window.h"
#include "sample/prompt.h"
#include "sample/sampling.h"

namespace tinylm {

namespace {

// Texts that share a walk over the weights; more take more memory for keys and values and gain little.
constexpr std::uint64_t kTextsTogether = 32;

constexpr std::int64_t kMostBeams = 64;

bool out_of_time(const StopWatch& since_start, double max_time) {
  return max_time > 0.0 && since_start.seconds() >= max_time;
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
  table.add("sample", "max_time", max_time, "end a text after this many seconds; 0: no limit");
  table.add("sample", "beams", beams, "beginnings that a search for the likeliest text keeps; 1: draw tokens instead");
  table.add("sample", "length_penalty", length_penalty,
            "of a beam search: above 0 favours long texts; 0: the likeliest text wins, which is often a short one");
}

void GenerateOptions::validate(Problems& problems) const {
  problems.require(max_tokens >= 1, "max_tokens is " + std::to_string(max_tokens) + ", expected at least 1");
  problems.require(std::isfinite(max_time) && max_time >= 0.0,
                   "max_time is " + shortest(max_time) + ", expected 0 (no limit) or a positive number of seconds");
  problems.require(beams >= 1 && beams <= kMostBeams,
                   "beams is " + std::to_string(beams) + ", expected 1 (none) to " + std::to_string(kMostBeams));
  problems.require(std::isfinite(length_penalty) && length_penalty >= 0.0,
                   "length_penalty is " + shortest(length_penalty) + ", expected 0 (none) or a positive number");
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
  sampler_.ban(tokenizer_.start_id());
  model_->eval();
}

std::vector<TokenId> Generator::prompt_ids(std::string_view prompt) const {
  return tinylm::prompt_ids(prompt, tokenizer_, empty_prompt_id_, model_->config().context);
}

std::vector<float> Generator::next_logits(const std::vector<TokenId>& prompt) {
  const torch::Tensor logits = ContextWindow(model_, prompt, /*use_cache=*/false).next_logits();  // [1, V]
  const std::span<const float> row = row_of(logits, 0);
  return {row.begin(), row.end()};
}

void Generator::grow(Strategy& strategy, const std::vector<TokenId>& prompt, const GenerateOptions& options,
                     const TextListener& listener) {
  const StopWatch since_start;
  ContextWindow window(model_, prompt, options.use_cache);
  while (true) {
    if (stop_signal() != 0 || out_of_time(since_start, options.max_time)) return strategy.finish(FinishReason::kTime);
    const NextRows next = strategy.step(window.next_logits());
    if (next.ids.empty()) return;
    window.select(next.parents);
    if (window.full()) {
      if (options.overflow == Overflow::kStop) return strategy.finish(FinishReason::kLength);
      if (listener.on_slide) listener.on_slide();
      window.slide();
    }
    window.push(next.ids);
  }
}

std::vector<Generated> Generator::draw_all(const std::vector<TokenId>& prompt, std::uint64_t first, std::uint64_t count,
                                           const GenerateOptions& options, const TextListener& listener) {
  // Elsewhere products of many rows may round otherwise than those of one text.
  const std::uint64_t together = options.use_cache && model_->decodes() ? kTextsTogether : 1;
  std::vector<Generated> all;
  std::uint64_t done = 0;
  do {
    Sampling texts(sampler_, tokenizer_, prompt, first + done, std::min(together, count - done), options, listener);
    grow(texts, prompt, options, listener);
    for (Generated& text : texts.take()) all.push_back(std::move(text));
    done += together;
  } while (done < count && stop_signal() == 0);
  return all;
}

std::vector<Generated> Generator::search(const std::vector<TokenId>& prompt, std::uint64_t first, std::uint64_t count,
                                         const GenerateOptions& options, const TextListener& listener) {
  BeamSearch beams(sampler_, tokenizer_, prompt, first, count, options, listener);
  grow(beams, prompt, options, listener);
  return beams.take();
}

std::vector<Generated> Generator::generate_all(const std::vector<TokenId>& prompt, std::uint64_t first,
                                               std::uint64_t count, const GenerateOptions& options,
                                               const TextListener& listener) {
  Problems problems;
  options.validate(problems);
  const auto beams = static_cast<std::uint64_t>(options.beams);
  problems.require(beams <= 1 || first + count <= beams,
                   std::to_string(first + count) + " texts were asked of " + std::to_string(beams) +
                       " beams, which find no more than " + std::to_string(beams) + ": raise beams, or ask for fewer");
  problems.throw_if_any();
  TextListener once = listener;
  once.on_slide = [&, told = false]() mutable {
    if (!std::exchange(told, true) && listener.on_slide) listener.on_slide();
  };
  if (beams <= 1) return draw_all(prompt, first, count, options, once);
  return search(prompt, first, count, options, once);
}

Generated Generator::generate(const std::vector<TokenId>& prompt, std::uint64_t sample, const GenerateOptions& options,
                              const std::function<void(std::string_view)>& on_text) {
  TextListener listener;
  if (on_text) listener.on_text = [&](std::uint64_t, std::string_view piece) { on_text(piece); };
  return std::move(generate_all(prompt, sample, 1, options, listener).front());
}

}  // namespace tinylm
