#include "sample/result_text.h"

#include <cmath>

#include <spdlog/fmt/fmt.h>

#include "core/numbers.h"
#include "core/text_table.h"
#include "sample/token_text.h"

namespace tinylm {
namespace {

std::string rounded_probability(double log_probability) {
  return fmt::format("{:.2g}", std::exp(log_probability));
}

}  // namespace

std::string probabilities_text(const Generated& text, const Tokenizer& tokenizer) {
  std::vector<TableRow> rows = {{"token", "probability", "entropy", "likeliest"}};
  for (std::size_t n = 0; n < text.ids.size(); ++n) {
    TableRow row = {token_label(tokenizer, text.ids[n]), rounded_probability(text.log_probabilities[n]),
                    fixed(text.entropies_nats[n], 2)};
    if (n < text.alternatives.size()) {
      for (const Alternative& other : text.alternatives[n])
        row.push_back(token_label(tokenizer, other.id) + " " + rounded_probability(other.log_probability));
    }
    rows.front().resize(std::max(rows.front().size(), row.size()));
    rows.push_back(std::move(row));
  }
  return text_table(rows, {Side::kLeft, Side::kRight, Side::kRight, Side::kLeft});
}

}  // namespace tinylm
