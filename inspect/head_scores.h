// Scores of heads: one number a head that says what it does, with the number a head would get that does nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inspect/ablation.h"
#include "inspect/attention_patterns.h"
#include "inspect/logit_attribution.h"
#include "inspect/random_repeats.h"

namespace tinylm {

/// What scores are worked out from. `repeats` and the others are of the same model as the text.
struct ScoreInputs {
  const Inspection& text;
  const RandomRepeats& repeats;
  const Ablation* ablation = nullptr;  // null: none was made
  const LogitAttribution& attribution;
};

/// What a score's numbers are: attention weight (0 to 1), a fraction (0 to 1), nats, logits.
enum class ScoreUnit { kWeight, kFraction, kNats, kLogit };
const char* to_string(ScoreUnit unit);  // "weight", "fraction", "nats", "logit"

/// One kind of score. A new one is a line in head_scores.cpp, and a function there or in attention_patterns.h.
struct ScoreKind {
  std::string id, name;
  std::string explanation;  // one sentence: what it measures and what a high value means
  ScoreUnit unit;
  bool value_weighted;  // which map of the head shows it best: weights times |f(x_k)|, or the weights
  /// Nothing where this model or text was not measured.
  std::optional<PatternScore> (*measure)(const ScoreInputs& inputs);
};

const std::vector<ScoreKind>& score_kinds();

/// One kind of score for every head.
struct HeadScores {
  const ScoreKind* kind = nullptr;
  PatternScore measured = {};  // values [L, H]; uniform: the baseline; rows

  /// Ends of a scale of colours: 0 and 1; for nats and logits the greatest of all sizes and its negative (1 where there
  /// is none).
  double lowest() const { return signed_scale() ? -highest() : 0.0; }
  double highest() const;
  double value(const HeadPlace& place) const { return measured.values[place.layer][place.head].item<double>(); }

 private:
  bool signed_scale() const { return kind->unit == ScoreUnit::kNats || kind->unit == ScoreUnit::kLogit; }
};

/// Every kind that could be measured, in the order of the table.
std::vector<HeadScores> head_scores(const ScoreInputs& inputs);

/// The scores with this id, or null.
const HeadScores* find_scores(const std::vector<HeadScores>& scores, const std::string& id);

/// Of the heads of `selection` the one with the highest value, the first of those alike; the first of all where nothing
/// could be measured.
HeadPlace highest(const HeadScores& scores, const HeadSelection& selection);

}  // namespace tinylm
