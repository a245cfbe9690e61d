// Two models' losses of one text side by side: over pieces of the text at whose ends both have a border between tokens,
// so that models of different tokenizers compare too.
#pragma once

#include <cstdint>
#include <vector>

#include "sample/text_score.h"

namespace tinylm {

/// The losses of a text by where its tokens end.
class LossesByByte {
 public:
  /// `first`: the token that is not predicted.
  LossesByByte(const Tokenizer& tokenizer, TokenId first);
  /// The next token. START and END, which have no bytes, count to the token before them.
  void add(const TokenLoss& token);

  struct Token {
    std::int64_t end_byte = 0;  // in the text, behind its last byte
    std::int64_t position = 0;  // in the token file
    double loss_nats = 0.0;     // with that of START and END behind it
    bool ends_line = false;     // a line or a document
  };
  const std::vector<Token>& tokens() const { return tokens_; }
  /// Where the first predicted byte stands: behind a first token that has bytes and no past.
  std::int64_t first_byte() const { return first_byte_; }
  std::int64_t bytes() const { return tokens_.empty() ? first_byte_ : tokens_.back().end_byte; }

 private:
  const Tokenizer& tokenizer_;
  std::vector<std::int64_t> bytes_of_;  // by id
  std::int64_t first_byte_;
  std::vector<Token> tokens_;
};

/// A piece of the text and what it costs each model.
struct PairedPiece {
  std::int64_t first_byte = 0, bytes = 0;
  double a_nats = 0.0, b_nats = 0.0;
  std::int64_t a_position = 0;  // of the first token of the piece, in the first model's token file
  std::int64_t a_tokens = 0;

  double difference_nats() const { return a_nats - b_nats; }
};

/// Cuts the text, without a beginning that either does not predict, into pieces of at least `least_bytes`, each but the
/// last until the next end of a line that both have as a border, or, where none comes within as many bytes again, until
/// the next border that both have. Throws BadInput when the texts are of different length: they were read differently.
std::vector<PairedPiece> paired_pieces(const LossesByByte& a, const LossesByByte& b, std::int64_t least_bytes);

/// The difference of two models over a text: a minus b, so below 0 where a predicts it better.
struct Difference {
  std::int64_t bytes = 0;
  double bits_per_byte = 0.0;
  double lowest = 0.0, highest = 0.0;  // what 95 % of the texts like this one give, bits a byte
};

struct BootstrapOptions {
  std::int64_t replicates = 10'000;
  std::uint64_t seed = 0;
};

/// Draws as many pieces as there are from them, with replacement, again and again, and takes the 2.5th and 97.5th
/// percentile of the differences that come out (the percentile bootstrap of Efron 1979, over pieces since the losses of
/// neighbouring tokens go together). Draw number i of replicate r is Philox(seed, kBootstrap, r, i); the result does
/// not depend on threads. `pieces`: at least 2, else BadInput.
Difference difference_of(const std::vector<PairedPiece>& pieces, const BootstrapOptions& options);

}  // namespace tinylm
