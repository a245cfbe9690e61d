// What is asked of single tokens: some banned, some weighed up or down, some given.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace tinylm {

class OptionTable;
class Problems;

/// As ids; none: nothing is asked.
struct TokenRules {
  std::vector<std::pair<TokenId, double>> biases;  // what is added to a token's logit; several for a token add up
  std::vector<TokenId> banned;                     // never chosen
  std::vector<TokenId> forced;                     // the text's first tokens, whatever the model and other rules say
};

/// As a user writes them. A TOKEN is the text of one, END, or id:N.
struct TokenOptions {
  std::vector<std::string> logit_bias;  // TOKEN=NUMBER
  std::vector<std::string> ban;         // TOKEN
  std::string force;                    // a text, whose tokens begin the generated one; "": none

  /// Adds its options to section [sample].
  void describe(OptionTable& table);
  /// Notes a logit_bias without a number from -1e6 to 1e6, and empty tokens.
  void validate(Problems& problems) const;
  /// With the ids of a vocabulary. Where it has several tokens of the same text, a rule is for all of them. Throws
  /// BadInput, with one line for each, for what is no token of it, and for a text to force that it cannot write.
  TokenRules rules(const Tokenizer& tokenizer) const;
};

}  // namespace tinylm
