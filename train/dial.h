// One dial for beginners: a number of minutes, from which everything else that was not set by hand is chosen. Steps are
// measured on this machine, and the largest model is taken that still sees enough of the text in the time: small models
// learn faster at first, large ones get further (docs/recipes.md has the losses that the ladder of sizes comes from).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/text_source.h"
#include "model/config.h"
#include "tokenizer/options.h"
#include "train/options.h"

namespace tinylm {

/// What was chosen, as flags, and why.
struct DialChoice {
  std::string flags;
  std::string reason;
};

/// What the dial goes by.
struct Dial {
  double whole_s = 0.0;                                      // of everything, from the program's start
  double left_s = 0.0;                                       // of that, now
  std::function<bool(const std::string& key)> is_free = {};  // whether an option was left to the dial
  /// Seconds of a step, measured for about `seconds`.
  std::function<double(const ModelConfig& model, const TrainOptions& options, double seconds)> measure_step_s = {};
};

/// Before the sizes are chosen: heads that divide a width set by hand, or a width for heads set by hand.
void fit_heads(const std::function<bool(const std::string& key)>& is_free, ModelConfig& model);

/// Before the text is read: less of a text of `bytes` is held out when evaluations would take too long.
std::vector<DialChoice> choose_split(const Dial& dial, std::uint64_t bytes, TextOptions& text);

/// When characters turn out to be too many for a small model (`vocabulary_size`): pieces of words instead. Nothing is
/// chosen when the characters are few, or the tokenizer was set by hand. The text must be read again then.
std::vector<DialChoice> choose_tokenizer(const Dial& dial, std::int64_t vocabulary_size, TokenizerOptions& tokenizer);

/// Sizes of the model, batch, dropout, and the pace to begin with (steps, eval_every), for a split of so many tokens.
/// `model` has its vocabulary. Throws WrongUse when the time is over before a single step.
std::vector<DialChoice> choose_sizes(const Dial& dial, std::int64_t train_tokens, std::int64_t val_tokens,
                                     ModelConfig& model, TrainOptions& options);

}  // namespace tinylm
