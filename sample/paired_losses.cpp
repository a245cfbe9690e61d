#include "sample/paired_losses.h"

#include <algorithm>
#include <numbers>

#include "core/errors.h"
#include "core/numbers.h"
#include "core/parallel.h"
#include "core/philox.h"

namespace tinylm {
namespace {

using Token = LossesByByte::Token;

/// The tokens of one model, taken piece by piece.
class Walk {
 public:
  explicit Walk(const LossesByByte& losses) : tokens_(losses.tokens()), byte_(losses.first_byte()) {}
  bool done() const { return next_ == tokens_.size(); }
  std::int64_t byte() const { return byte_; }
  /// Takes the next token in and gives it.
  const Token& take() {
    byte_ = tokens_[next_].end_byte;
    return tokens_[next_++];
  }
  std::size_t taken() const { return next_; }

 private:
  const std::vector<Token>& tokens_;
  std::int64_t byte_;
  std::size_t next_ = 0;
};

/// Takes tokens of both until they are at one border, at least one of each; false when there are none left.
bool take_to_common_border(Walk& a, Walk& b, PairedPiece& piece, bool& ends_line) {
  if (a.done() || b.done()) return false;
  do {
    const bool of_a = a.byte() <= b.byte();
    const Token& token = of_a ? a.take() : b.take();
    (of_a ? piece.a_nats : piece.b_nats) += token.loss_nats;
    ends_line = token.ends_line;
  } while (a.byte() != b.byte());
  return true;
}

void require_same_length(const LossesByByte& a, const LossesByByte& b) {
  if (a.bytes() == b.bytes()) return;
  throw BadInput("the two runs read the text differently, as " + grouped(a.bytes()) + " and as " + grouped(b.bytes()) +
                 " bytes: compare runs that were trained with the same --documents and --keep-crlf");
}

double bits_per_byte(double nats, std::int64_t bytes) {
  return nats / std::numbers::ln2 / static_cast<double>(bytes);
}

}  // namespace

LossesByByte::LossesByByte(const Tokenizer& tokenizer, TokenId first) : tokenizer_(tokenizer) {
  for (TokenId id = 0; id < tokenizer.vocabulary_size(); ++id)
    bytes_of_.push_back(static_cast<std::int64_t>(tokenizer.bytes_of(id).size()));
  first_byte_ = bytes_of_[static_cast<std::size_t>(first)];
}

void LossesByByte::add(const TokenLoss& token) {
  const std::int64_t bytes = bytes_of_[static_cast<std::size_t>(token.id)];
  if (bytes == 0 && !tokens_.empty()) {
    tokens_.back().loss_nats += token.loss_nats;
    tokens_.back().ends_line = true;
    return;
  }
  const bool ends_line = bytes == 0 || tokenizer_.bytes_of(token.id).ends_with('\n');
  tokens_.push_back({this->bytes() + bytes, token.position, token.loss_nats, ends_line});
}

std::vector<PairedPiece> paired_pieces(const LossesByByte& a, const LossesByByte& b, std::int64_t least_bytes) {
  require_same_length(a, b);
  Walk in_a(a), in_b(b);
  bool ends_line = false;
  PairedPiece unpredicted;  // by one of the two: as far as it goes, the other's losses do not count either
  while (in_a.byte() != in_b.byte() && take_to_common_border(in_a, in_b, unpredicted, ends_line)) {
  }
  std::vector<PairedPiece> pieces;
  while (!in_a.done()) {
    const std::size_t before = in_a.taken();
    PairedPiece piece{in_a.byte(), 0, 0.0, 0.0, a.tokens()[before].position, 0};
    const auto enough = [&] { return piece.bytes >= least_bytes && (ends_line || piece.bytes >= 2 * least_bytes); };
    while (!enough() && take_to_common_border(in_a, in_b, piece, ends_line))
      piece.bytes = in_a.byte() - piece.first_byte;
    piece.a_tokens = static_cast<std::int64_t>(in_a.taken() - before);
    pieces.push_back(piece);
  }
  return pieces;
}

Difference difference_of(const std::vector<PairedPiece>& pieces, const BootstrapOptions& options) {
  if (pieces.size() < 2)
    throw BadInput(
        "the text is too short to say how sure the difference is: give one of some hundred characters or more");
  const Philox random(options.seed, Purpose::kBootstrap);
  std::vector<double> outcomes(static_cast<std::size_t>(options.replicates));
  parallel_items(options.replicates, [&](std::int64_t replicate) {
    double nats = 0.0;
    std::int64_t bytes = 0;
    for (std::size_t draw = 0; draw < pieces.size(); ++draw) {
      const PairedPiece& piece = pieces[random.below(pieces.size(), static_cast<std::uint64_t>(replicate), draw)];
      nats += piece.difference_nats();
      bytes += piece.bytes;
    }
    outcomes[static_cast<std::size_t>(replicate)] = bits_per_byte(nats, bytes);
  });
  std::sort(outcomes.begin(), outcomes.end());
  Difference difference;
  double nats = 0.0;
  for (const PairedPiece& piece : pieces) {
    nats += piece.difference_nats();
    difference.bytes += piece.bytes;
  }
  difference.bits_per_byte = bits_per_byte(nats, difference.bytes);
  const auto last = static_cast<double>(outcomes.size() - 1);
  difference.lowest = outcomes[static_cast<std::size_t>(0.025 * last)];
  difference.highest = outcomes[static_cast<std::size_t>(0.975 * last + 0.5)];
  return difference;
}

}  // namespace tinylm
