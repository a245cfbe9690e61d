#include "sample/text_score.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "core/errors.h"
#include "core/numbers.h"
#include "sample/token_losses.h"

namespace tinylm {
namespace {

std::vector<std::int64_t> bytes_by_id(const Tokenizer& tokenizer) {
  std::vector<std::int64_t> bytes;
  for (TokenId id = 0; id < tokenizer.vocabulary_size(); ++id)
    bytes.push_back(static_cast<std::int64_t>(tokenizer.bytes_of(id).size()));
  return bytes;
}

void require_finite(const TokenLoss& token, const Tokenizer& tokenizer) {
  if (std::isfinite(token.loss_nats)) return;
  throw NotFinite("the loss of token " + grouped(token.position) + ", \"" + tokenizer.label(token.id) + "\", is " +
                  (std::isnan(token.loss_nats) ? "no number" : "infinite") +
                  ": this checkpoint's weights are of no use; take an earlier one with --checkpoint step-N");
}

}  // namespace

double TextScore::mean_loss_nats() const {
  return total_loss_nats / static_cast<double>(tokens);
}
double TextScore::mean_loss_bits() const {
  return mean_loss_nats() / std::numbers::ln2;
}
double TextScore::perplexity() const {
  return std::exp(mean_loss_nats());
}
double TextScore::bits_per_byte() const {
  return total_loss_nats / std::numbers::ln2 / static_cast<double>(bytes);
}

TextScorer::TextScorer(LanguageModel model, const Tokenizer& tokenizer, std::int64_t stride)
    : model_(std::move(model)), tokenizer_(tokenizer), stride_(stride) {
  const ModelConfig& config = model_->config();
  Problems problems;
  problems.require(stride >= 1 && stride <= config.context, "--stride is " + grouped(stride) + ": expected 1 to " +
                                                                grouped(config.context) + ", the model's context");
  problems.require(config.attention_mask == MaskKind::kCausal,
                   "this model was trained with attention_mask none: it saw the tokens that it was asked to predict, "
                   "so what it makes of a text without them says nothing; score a model trained without that setting");
  problems.throw_if_any();
}

TextScore TextScorer::score(const TokenRange& text, std::int64_t rows,
                            const std::function<void(const TokenLoss&)>& each) {
  const EvaluationWindows windows(text, model_->config().context, stride_);
  if (windows.predicted_tokens() == 0) {
    throw BadInput("the text has " + grouped(text.count) + (text.count == 1 ? " token" : " tokens") +
                   ", at least 2 are needed: the first is predicted from nothing, so it has no loss; give more text");
  }
  const std::vector<std::int64_t> bytes = bytes_by_id(tokenizer_);
  TextScore score;
  for_each_loss(model_, windows, rows, [&](std::span<const double> losses_nats) {
    for (const double loss_nats : losses_nats) {
      const std::int64_t position = ++score.tokens;
      // -ln p of a certain token may come out a rounding below 0.
      const TokenLoss token{position, (*text.file)[text.first + position], loss_nats <= 0.0 ? 0.0 : loss_nats};
      require_finite(token, tokenizer_);
      score.bytes += bytes[static_cast<std::size_t>(token.id)];
      score.total_loss_nats += token.loss_nats;
      if (each) each(token);
    }
  });
  return score;
}

void MostSurprising::add(const TokenLoss& token) {
  if (tokens_.size() == most_ && (most_ == 0 || token.loss_nats <= tokens_.back().loss_nats)) return;
  const auto place = std::upper_bound(tokens_.begin(), tokens_.end(), token,
                                      [](const TokenLoss& a, const TokenLoss& b) { return a.loss_nats > b.loss_nats; });
  tokens_.insert(place, token);
  if (tokens_.size() > most_) tokens_.pop_back();
}

}  // namespace tinylm
