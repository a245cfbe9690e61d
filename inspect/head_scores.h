// Scores of heads: one number a head that says what it does, with the number a head would get that does nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/torch.h"

namespace tinylm {

/// One kind of score for every head of a model on one text.
struct HeadScores {
  std::string what;      // completes "looks most at ...": "the previous token"
  torch::Tensor values;  // [L, H] float64; NaN where the text has no row to measure
  double uniform = 0.0;  // the score of a head that looks at all earlier tokens and itself alike
};

/// Mean over the queries q >= 1 of A[q, q-1] (Elhage et al., "A Mathematical Framework for Transformer Circuits",
/// 2021); uniform: the mean of 1 / (q+1) over the same rows. attention [L, H, T, T] with T >= 1; NaN for T = 1.
HeadScores previous_token_scores(const torch::Tensor& attention);

/// A head, counted from 0.
struct HeadPlace {
  std::int64_t layer = 0;
  std::int64_t head = 0;
};

/// The head with the highest score, the first of those alike; the first of all where nothing could be measured.
HeadPlace highest(const HeadScores& scores);
/// The same among the heads of `layer`, which exists.
HeadPlace highest_of_layer(const HeadScores& scores, std::int64_t layer);

/// One sentence: the head with the highest score, or that no head stands out (by 0.1 over uniform), or that nothing
/// could be measured.
std::string sentence(const HeadScores& scores);

/// The scores as text, a row a layer and a column a head, "n/a" for NaN; as many heads side by side as `columns` hold.
std::string table(const HeadScores& scores, std::size_t columns);

}  // namespace tinylm
