// How well a model predicts a text: token by token, and in all.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "data/token_file.h"
#include "model/model.h"
#include "tokenizer/tokenizer.h"

namespace tinylm {

/// What a text came to. Without bytes, bits_per_byte() is not finite.
struct TextScore {
  std::int64_t tokens = 0;  // predicted ones: all but the first of the token file, which is START or has no past
  std::int64_t bytes = 0;   // of UTF-8 that these stand for; START and END stand for none
  double total_loss_nats = 0.0;

  double mean_loss_nats() const;
  double mean_loss_bits() const;
  double perplexity() const;     // e^mean_loss_nats: as unsure as among so many equally likely tokens
  double bits_per_byte() const;  // total bits over bytes: compares across tokenizers
};

struct TokenLoss {
  std::int64_t position = 0;  // in the token file, from 0; the first that is predicted has 1
  TokenId id = 0;
  double loss_nats = 0.0;
};

class TextScorer {
 public:
  /// `tokenizer` is the model's, and outlives the scorer. `stride`: see EvaluationWindows. Throws WrongUse when it is
  /// not 1 to the context, or when the model was trained with attention_mask none.
  TextScorer(LanguageModel model, const Tokenizer& tokenizer, std::int64_t stride);

  /// Tells `each` every predicted token, in order. `rows` windows are computed at a time; the result depends on it by
  /// rounding alone. Sums are in double. Throws BadInput when nothing can be predicted, NotFinite for such a loss.
  TextScore score(const TokenRange& text, std::int64_t rows, const std::function<void(const TokenLoss&)>& each = {});

 private:
  LanguageModel model_;
  const Tokenizer& tokenizer_;
  std::int64_t stride_;
};

/// The tokens of highest loss among those added, at most `most`; of equal ones the first.
class MostSurprising {
 public:
  explicit MostSurprising(std::size_t most) : most_(most) {}
  void add(const TokenLoss& token);
  /// The highest loss first.
  const std::vector<TokenLoss>& tokens() const { return tokens_; }

 private:
  std::size_t most_;
  std::vector<TokenLoss> tokens_;
};

}  // namespace tinylm
