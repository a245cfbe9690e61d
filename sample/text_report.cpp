#include "sample/text_report.h"

#include <array>
#include <charconv>
#include <cmath>

#include <spdlog/fmt/fmt.h>
#include <nlohmann/json.hpp>

#include "core/json_numbers.h"
#include "core/numbers.h"
#include "core/text_table.h"
#include "core/utf8.h"
#include "sample/token_text.h"

namespace tinylm {
namespace {

constexpr std::size_t kBytesBefore = 40;  // of text that is shown before a surprise

/// Losses are computed in float32: the shortest form that reads back to it.
std::string shortest_loss(double loss_nats) {
  std::array<char, 32> digits{};
  return {digits.data(),
          std::to_chars(digits.data(), digits.data() + digits.size(), static_cast<float>(loss_nats)).ptr};
}

/// Some of what stands before a token, back to a border between tokens.
std::string text_before(const ScoredText& text, std::int64_t position) {
  std::string before;
  while (position > 0 && before.size() < kBytesBefore) {
    const std::string bytes = text.tokenizer->bytes_of(text.id(--position));
    if (bytes.empty()) break;  // another document
    before.insert(0, bytes);
  }
  return utf8::visible(before);
}

std::string probability_text(double loss_nats) {
  return fmt::format("{:.2g}", std::exp(-loss_nats));
}

}  // namespace

std::string summary_text(const ScoredText& text) {
  const TextScore& score = text.score;
  const std::vector<TableRow> rows = {{"tokens", grouped(score.tokens)},
                                      {"bytes", grouped(score.bytes)},
                                      {"total nats", fixed(score.total_loss_nats, 4)},
                                      {"nats/token", fixed(score.mean_loss_nats(), 4)},
                                      {"bits/token", fixed(score.mean_loss_bits(), 4)},
                                      {"perplexity", fixed(score.perplexity(), 4)},
                                      {"bits/byte", fixed(score.bits_per_byte(), 4)}};
  return "run " + text.run + ", " + text.checkpoint + "\n\n" + text_table(rows, {Side::kLeft, Side::kRight});
}

std::string surprises_text(const ScoredText& text, const std::vector<TokenLoss>& surprises) {
  std::vector<TableRow> rows = {{"position", "nats", "probability", "token", "after"}};
  for (const TokenLoss& token : surprises) {
    rows.push_back({grouped(token.position), fixed(token.loss_nats, 4), probability_text(token.loss_nats),
                    token_label(*text.tokenizer, token.id), "\"" + text_before(text, token.position) + "\""});
  }
  return "What surprised it most:\n" +
         text_table(rows, {Side::kRight, Side::kRight, Side::kRight, Side::kLeft, Side::kLeft});
}

void write_token_table(std::ostream& out, const ScoredText& text) {
  // Not by text_table(), which holds all rows: a text may be long.
  const auto line = [&](const std::string& position, const std::string& probability, const std::string& nats,
                        const std::string& token) {
    out << fmt::format("{:>10}  {:>11}  {:>8}  {}\n", position, probability, nats, token);
  };
  line("position", "probability", "nats", "token");
  std::int64_t position = 0;
  for (const double loss_nats : text.losses_nats) {
    ++position;
    line(grouped(position), probability_text(loss_nats), fixed(loss_nats, 4),
         token_label(*text.tokenizer, text.id(position)));
  }
}

void write_json(std::ostream& out, const ScoredText& text) {
  const TextScore& score = text.score;
  nlohmann::ordered_json object;
  object["run"] = text.run;
  object["checkpoint"] = text.checkpoint;
  object["tokens"] = score.tokens;
  object["bytes"] = score.bytes;
  object["total_loss_nats"] = number_or_null(score.total_loss_nats);
  object["mean_loss_nats"] = number_or_null(score.mean_loss_nats());
  object["mean_loss_bits"] = number_or_null(score.mean_loss_bits());
  object["perplexity"] = number_or_null(score.perplexity());
  object["bits_per_byte"] = number_or_null(score.bits_per_byte());
  std::string json = object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  if (!text.losses_nats.empty()) {  // straight into the stream: as JSON values they would take much memory
    json.back() = ',';
    out << json << "\"losses\":";
    std::int64_t position = 0;
    for (const float loss_nats : text.losses_nats) {
      const TokenId id = text.id(++position);
      out << (position == 1 ? '[' : ',') << "{\"id\":" << id
          << ",\"text\":" << nlohmann::json(token_text(*text.tokenizer, id)).dump()
          << ",\"loss_nats\":" << shortest_loss(loss_nats) << '}';
    }
    json = "]}";
  }
  out << json << '\n';
}

std::string csv_line(const TokenLoss& token, const Tokenizer& tokenizer) {
  std::string quoted;
  for (const char byte : token_text(tokenizer, token.id)) quoted += byte == '"' ? "\"\"" : std::string(1, byte);
  return fmt::format("{},{},\"{}\",{}\n", token.position, token.id, quoted, shortest_loss(token.loss_nats));
}

}  // namespace tinylm
