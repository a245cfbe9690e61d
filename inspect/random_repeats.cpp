#include "inspect/random_repeats.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/philox.h"

namespace tinylm {
namespace {

PatternScore not_measured(const ModelConfig& config) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {torch::full({config.layers, config.heads}, nan, torch::kFloat64), nan, 0};
}

}  // namespace

std::vector<TokenId> ordinary_tokens(const Tokenizer& tokenizer) {
  std::vector<TokenId> ids;
  for (TokenId id = 0; id < tokenizer.vocabulary_size(); ++id)
    if (id != tokenizer.start_id() && id != tokenizer.end_id()) ids.push_back(id);
  return ids;
}

std::int64_t repeat_length(std::int64_t context, std::size_t tokens, std::int64_t most_length) {
  const std::int64_t S = std::min({most_length, context / 2, static_cast<std::int64_t>(tokens)});
  return S < 2 ? 0 : S;
}

std::vector<TokenId> repeated_tokens(const std::vector<TokenId>& tokens, std::int64_t S, std::uint64_t seed,
                                     std::uint64_t text) {
  const Philox random(seed, Purpose::kRepeats);
  std::vector<TokenId> left = tokens;  // Fisher & Yates: the i-th is exchanged for one of those not yet drawn
  for (std::size_t i = 0; i < static_cast<std::size_t>(S); ++i)
    std::swap(left[i], left[i + random.below(left.size() - i, text, i)]);
  left.resize(static_cast<std::size_t>(S));
  left.insert(left.end(), left.begin(), left.begin() + S);
  return left;
}

RandomRepeats random_repeats(LanguageModel model, const Tokenizer& tokenizer, const RepeatOptions& options) {
  const ModelConfig& config = model->config();
  const std::vector<TokenId> tokens = ordinary_tokens(tokenizer);
  const std::int64_t S = repeat_length(config.context, tokens.size(), options.most_length);
  if (S == 0) return {0, 0, not_measured(config), not_measured(config), not_measured(config)};
  std::vector<std::int64_t> ids;
  for (std::int64_t text = 0; text < options.texts; ++text) {
    const auto drawn = repeated_tokens(tokens, S, options.seed, static_cast<std::uint64_t>(text));
    ids.insert(ids.end(), drawn.begin(), drawn.end());
  }
  const torch::NoGradGuard no_gradient;
  Trace trace{.want_attention = true, .ops = Ops::kAuto};
  model->hidden(torch::tensor(ids).view({options.texts, 2 * S}), {.trace = &trace});
  const torch::Tensor attention = torch::stack(trace.attention);  // [L, B, H, 2 S, 2 S]
  const bool causal = config.attention_mask == MaskKind::kCausal;
  const auto score = [&](std::int64_t distance, std::int64_t first) {
    return pattern_score(attention, distance_pattern(2 * S, distance, first), causal);
  };
  return {S, options.texts, score(1, 1), score(S, S), score(S - 1, S)};
}

}  // namespace tinylm
