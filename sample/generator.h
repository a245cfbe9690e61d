// The generation loop: prompt -> ids -> logits -> next id -> text, until a stop rule.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"
#include "sample/choice.h"
#include "sample/sampler.h"
#include "tokenizer/tokenizer.h"

namespace tinylm {

/// Why a text ended: the END token, a stop text, max_tokens, enough_bytes or the end of the context, max_time or a stop
/// signal.
enum class FinishReason { kEnd, kStop, kLength, kTime };
/// "end", "stop", "length", "time".
const char* to_string(FinishReason reason);

/// What happens when a new token no longer fits into the context: kSlide keeps the newer half of the window and goes on
/// (what was dropped no longer counts, positions begin at 0 again), kStop ends the text.
enum class Overflow { kSlide, kStop };

struct GenerateOptions {
  std::int64_t max_tokens = 200;         // new tokens at most
  std::vector<std::string> stop;         // ends before the first of these texts appears in what was generated
  bool use_cache = true;                 // false: the whole window again for every token (slower, same text)
  Overflow overflow = Overflow::kSlide;  // at the end of the context
  double max_time = 0.0;                 // seconds; 0: no limit; counts from the prompt
  std::int64_t beams = 1;                // beginnings that a beam search keeps; 1: tokens are drawn instead
  double length_penalty = 0.6;           // of a beam search: what favours long texts, see length_divisor(); 0: nothing
  std::size_t alternatives = 0;          // likeliest tokens that are listed for each token. For callers, not an option
  std::size_t enough_bytes = 0;          // ends once the text has that many; 0: no limit. For callers, not an option

  /// Adds its options to section [sample].
  void describe(OptionTable& table);
  /// Notes what cannot be meant: fewer than one token, empty or not UTF-8 stop texts, a negative or not finite time or
  /// length_penalty, beams outside [1, 64].
  void validate(Problems& problems) const;
};

struct Generated {
  std::string text;          // what was generated, without the prompt and without the stop text; valid UTF-8
  std::vector<TokenId> ids;  // every token drawn: END, or those of the stop text, come last
  std::vector<double> log_probabilities;  // natural logarithms under the model itself, one an id
  FinishReason finish_reason = FinishReason::kLength;
  std::vector<double> entropies_nats = {};                  // of the model's distribution, one an id
  std::vector<std::vector<Alternative>> alternatives = {};  // one list an id, where they were asked for
};

/// Told of texts while they grow, numbered as samples; each may be empty. What one throws ends the generation.
struct TextListener {
  /// Each token, before what it adds to the text. Not with beams, which choose texts.
  std::function<void(std::uint64_t sample, const Choice&)> on_choice = {};
  std::function<void(std::uint64_t sample, std::string_view piece)> on_text = {};  // valid UTF-8, as it comes
  std::function<void(std::uint64_t sample)> on_end = {};                           // nothing follows in this text
  std::function<void()> on_slide = {};  // once a call: what the model sees no longer reaches back to the beginning
};

class Strategy;

class Generator {
 public:
  /// Puts `model` into evaluation mode. `sampler` gets a ban of START. `tokenizer` must outlive the generator. Throws
  /// BadInput when its vocabulary is not the model's, WrongUse when the model was trained with attention_mask none.
  Generator(LanguageModel model, const Tokenizer& tokenizer, const Sampler& sampler, TokenId empty_prompt_id);

  /// The ids a prompt begins from, see sample/prompt.h.
  std::vector<TokenId> prompt_ids(std::string_view prompt) const;

  /// The V logits of the token after a prompt of 1 to context tokens, else BadInput.
  std::vector<float> next_logits(const std::vector<TokenId>& prompt);
  const Sampler& sampler() const { return sampler_; }

  /// Texts number `first` to first + count - 1 of a seed, which grow together; each is the same whatever others there
  /// are. With beams the `count` best texts from the one of rank `first` on, whatever the seed, as many as are found:
  /// rank 0 is the best, and first + count at most options.beams. `prompt`: 1 to context tokens, else BadInput. The
  /// pieces that `listener` gets are together Generated::text. The draw of a text's n-th new token is that of position
  /// n. START is never generated. Checks stop_signal() and returns what there is, which may be fewer texts but one.
  /// `count`: at least 1. Throws WrongUse when `options` does not validate, or for more texts than beams.
  std::vector<Generated> generate_all(const std::vector<TokenId>& prompt, std::uint64_t first, std::uint64_t count,
                                      const GenerateOptions& options, const TextListener& listener = {});
  /// One text.
  Generated generate(const std::vector<TokenId>& prompt, std::uint64_t sample, const GenerateOptions& options,
                     const std::function<void(std::string_view)>& on_text = {});

 private:
  std::vector<Generated> draw_all(const std::vector<TokenId>& prompt, std::uint64_t first, std::uint64_t count,
                                  const GenerateOptions& options, const TextListener& listener);
  std::vector<Generated> search(const std::vector<TokenId>& prompt, std::uint64_t first, std::uint64_t count,
                                const GenerateOptions& options, const TextListener& listener);
  void grow(Strategy& strategy, const std::vector<TokenId>& prompt, const GenerateOptions& options,
            const TextListener& listener);

  LanguageModel model_;
  const Tokenizer& tokenizer_;
  Sampler sampler_;
  TokenId empty_prompt_id_;
};

}  // namespace tinylm
