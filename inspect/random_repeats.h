// The standard test of induction (Olsson et al. 2022): random tokens, and the same ones again. There is nothing to know
// about them but that they repeat.
#pragma once

#include <cstdint>
#include <vector>

#include "inspect/attention_patterns.h"
#include "model/model.h"
#include "tokenizer/tokenizer.h"

namespace tinylm {

/// Ids that stand for text: all but START and END.
std::vector<TokenId> ordinary_tokens(const Tokenizer& tokenizer);

struct RepeatOptions {
  std::int64_t texts = 8;         // sequences the scores are the mean over
  std::int64_t most_length = 32;  // tokens before they repeat, at most
  std::uint64_t seed = 1;
};

/// S: of `most_length`, half of the context and the number of tokens to draw from, the least; 0 below two, where there
/// is nothing to repeat.
std::int64_t repeat_length(std::int64_t context, std::size_t tokens, std::int64_t most_length);

/// S tokens drawn from `tokens` without putting back (so that each token has one match), twice: 2 S ids, a function of
/// (seed, text).
std::vector<TokenId> repeated_tokens(const std::vector<TokenId>& tokens, std::int64_t S, std::uint64_t seed,
                                     std::uint64_t text);

/// What every head does on such sequences, mean over them. Scores are NaN with rows 0 where the model is too short for
/// any.
struct RandomRepeats {
  std::int64_t length = 0;      // S
  std::int64_t texts = 0;       // sequences
  PatternScore previous = {};   // k = q - 1, q >= 1
  PatternScore duplicate = {};  // k = q - S, q >= S
  PatternScore induction = {};  // k = q - (S - 1), q >= S
};

RandomRepeats random_repeats(LanguageModel model, const Tokenizer& tokenizer, const RepeatOptions& options = {});

}  // namespace tinylm
