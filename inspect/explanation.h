// The worked attention calculation of one query of a trained model's head, on real tokens.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inspect/inspection.h"
#include "model/ops/attention_steps.h"
#include "run/run.h"

namespace tinylm {

/// A row of an attention map, counted from 0.
struct HeadRow {
  std::int64_t layer = 0, head = 0, query = 0;
};

/// "L.H.Q", as in "0.2.5". Throws WrongUse, saying what was found, for anything else.
HeadRow parse_head_row(const std::string& text);

/// Largest difference with which the calculation counts as the model's own.
inline constexpr double kExplanationTolerance = 1e-5;

struct Explanation {
  HeadRow row;
  std::vector<std::string> labels;  // T
  torch::Tensor q;                  // [1, D] float64: what entered the model's attention, as everything here
  torch::Tensor k, v;               // [T, D]
  torch::Tensor bias;         // [1, T], added to the scores: by positions, and -inf where hidden; undefined: nothing
  ops::AttentionSteps steps;  // worked out anew in float64
  bool causal = true;         // later keys are hidden
  double difference = 0.0;    // largest, of weights and (relative above 1) output, from what the model computed

  bool agrees() const { return difference < kExplanationTolerance; }  // false for NaN too
};

/// Works out `row` on the tokens `ids`. Throws BadInput unless 1 <= T <= context, WrongUse when there is no such row.
Explanation explain(LoadedModel& loaded, const std::vector<TokenId>& ids, const HeadRow& row);

/// The calculation as text: query and scale, a line for each key with every step, the dot product of the key that was
/// looked at most in full, the output, and how far it is from the model's.
std::string explanation_text(const Explanation& explanation, int digits);

}  // namespace tinylm
