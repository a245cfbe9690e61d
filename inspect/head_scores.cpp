#include "inspect/head_scores.h"

#include <cmath>

namespace tinylm {
namespace {

using Measured = std::optional<PatternScore>;

Measured previous_on_text(const ScoreInputs& inputs) {
  return pattern_score(inputs.text.attention, previous_token_pattern(inputs.text.tokens()), inputs.text.causal);
}

Measured duplicate_on_text(const ScoreInputs& inputs) {
  return pattern_score(inputs.text.attention, duplicate_token_pattern(ids_tensor(inputs.text.ids)), inputs.text.causal);
}

Measured induction_on_text(const ScoreInputs& inputs) {
  return pattern_score(inputs.text.attention, induction_pattern(ids_tensor(inputs.text.ids)), inputs.text.causal);
}

Measured duplicate_on_repeats(const ScoreInputs& inputs) {
  return inputs.repeats.duplicate;
}

Measured induction_on_repeats(const ScoreInputs& inputs) {
  return inputs.repeats.induction;
}

Measured entropy(const ScoreInputs& inputs) {
  return entropy_score(inputs.text.attention, inputs.text.causal);
}

Measured first_token(const ScoreInputs& inputs) {
  return first_token_score(inputs.text.attention, inputs.text.causal);
}

/// The mean over the text of what is there for each token but the first.
PatternScore mean_change(const torch::Tensor& changes) {
  return {changes.slice(-1, 1).to(torch::kFloat64).mean(-1), 0.0, changes.size(-1) - 1};
}

Measured loss_without(const ScoreInputs& inputs) {
  return inputs.ablation ? Measured(mean_change(inputs.ablation->zero)) : std::nullopt;
}

Measured loss_with_mean(const ScoreInputs& inputs) {
  return inputs.ablation ? Measured(mean_change(inputs.ablation->mean)) : std::nullopt;
}

Measured attribution(const ScoreInputs& inputs) {
  const std::int64_t L = inputs.text.attention.size(0), H = inputs.text.attention.size(1);
  return PatternScore{inputs.attribution.mean_of_heads(L, H), 0.0, inputs.text.tokens() - 1};
}

}  // namespace

const char* to_string(ScoreUnit unit) {
  switch (unit) {
    case ScoreUnit::kWeight:
      return "weight";
    case ScoreUnit::kFraction:
      return "fraction";
    case ScoreUnit::kNats:
      return "nats";
    case ScoreUnit::kLogit:
      return "logit";
  }
  return "";
}

const std::vector<ScoreKind>& score_kinds() {
  static const std::vector<ScoreKind> kinds = {
      {"previous", "previous token", "Attention to the token just before: a head near 1 looks one token back.",
       ScoreUnit::kWeight, false, previous_on_text},
      {"duplicate_text", "same token, this text",
       "Attention to earlier copies of the same token in this text: a head near 1 finds where the token stood before.",
       ScoreUnit::kWeight, false, duplicate_on_text},
      {"induction_text", "induction, this text",
       "Attention to the token after an earlier copy of the same token in this text: a head near 1 looks at what came "
       "next last time.",
       ScoreUnit::kWeight, false, induction_on_text},
      {"duplicate_random", "same token, random repeats",
       "Attention to the same token in the first half, where random tokens come twice: a head near 1 finds copies in "
       "any text.",
       ScoreUnit::kWeight, false, duplicate_on_repeats},
      {"induction_random", "induction, random repeats",
       "Attention to the token after the same token in the first half, where random tokens come twice: a head near 1 "
       "can continue any pattern it has seen once.",
       ScoreUnit::kWeight, false, induction_on_repeats},
      {"entropy", "spread (entropy)",
       "How evenly attention is spread over the tokens it may look at: 0 is one token, 1 is all alike.",
       ScoreUnit::kFraction, false, entropy},
      {"first_token", "first token",
       "Attention to the first token: a head near 1 rests there, as heads do that have nothing to say.",
       ScoreUnit::kWeight, true, first_token},
      {"ablation_zero", "loss without it",
       "How much the mean loss of this text rises when the head's output is replaced by zero: the model needs a head "
       "with a high value.",
       ScoreUnit::kNats, true, loss_without},
      {"ablation_mean", "loss with its mean",
       "How much the mean loss of this text rises when the head's output is replaced by its mean over the text: a high "
       "value means that what it says varies, and that the model needs this.",
       ScoreUnit::kNats, true, loss_with_mean},
      {"attribution", "direct effect on the next token",
       "How much the head's output adds directly to the logit of the true next token, mean over the text: positive "
       "values help it.",
       ScoreUnit::kLogit, true, attribution},
  };
  return kinds;
}

double HeadScores::highest() const {
  if (!signed_scale()) return 1.0;
  constexpr double kLeast = 0.05;  // smaller numbers are to look small
  const double largest = measured.values.nan_to_num(0.0).abs().max().item<double>();
  return std::isfinite(largest) ? std::max(kLeast, largest) : 1.0;
}

std::vector<HeadScores> head_scores(const ScoreInputs& inputs) {
  std::vector<HeadScores> all;
  for (const ScoreKind& kind : score_kinds())
    if (const Measured measured = kind.measure(inputs)) all.push_back({&kind, *measured});
  return all;
}

const HeadScores* find_scores(const std::vector<HeadScores>& scores, const std::string& id) {
  for (const HeadScores& one : scores)
    if (one.kind->id == id) return &one;
  return nullptr;
}

HeadPlace highest(const HeadScores& scores, const HeadSelection& selection) {
  HeadPlace best{selection.layers.front(), selection.heads.front()};
  for (const HeadPlace& place : places_of(selection)) {
    const double value = scores.value(place), so_far = scores.value(best);
    if (value > so_far || (std::isnan(so_far) && !std::isnan(value))) best = place;
  }
  return best;
}

}  // namespace tinylm
