// What `tinylm score TEXT` prints and writes.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "sample/text_score.h"

namespace tinylm {

/// A text that was scored, with the loss of each of its tokens where they were kept.
struct ScoredText {
  std::string run;         // its folder
  std::string checkpoint;  // "step-2000"
  TextScore score;
  TokenRange tokens;                     // of which the first is not predicted
  const Tokenizer* tokenizer = nullptr;  // outlives this
  std::vector<float> losses_nats = {};   // of tokens 1, 2, ...; empty where they were not kept

  TokenId id(std::int64_t position) const { return (*tokens.file)[tokens.first + position]; }
};

/// For people: the run and a line a figure.
std::string summary_text(const ScoredText& text);

/// For people: each of these tokens with what stood before it, newlines and other controls visible.
std::string surprises_text(const ScoredText& text, const std::vector<TokenLoss>& surprises);

/// For people: a line a predicted token: position, probability, loss, label. Needs the losses.
void write_token_table(std::ostream& out, const ScoredText& text);

/// One JSON object on one line, UTF-8: "run", "checkpoint", "tokens", "bytes", "total_loss_nats", "mean_loss_nats",
/// "mean_loss_bits", "perplexity", "bits_per_byte" and, where the losses were kept, "losses": [{"id", "text",
/// "loss_nats"}]. Numbers that are not finite are null.
void write_json(std::ostream& out, const ScoredText& text);

/// Lines of comma-separated values as RFC 4180 has them, but ended by a newline alone. The text is always quoted, and
/// token_text().
inline constexpr const char* kCsvHeader = "position,id,text,loss_nats\n";
std::string csv_line(const TokenLoss& token, const Tokenizer& tokenizer);

}  // namespace tinylm
