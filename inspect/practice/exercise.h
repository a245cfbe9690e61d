// A small attention exercise for a person with a pocket calculator.
#pragma once

#include <cstdint>

#include "inspect/worked_attention.h"

namespace tinylm {

/// What a person works out, in this order.
enum class Step { kScores, kWeights, kOutput };

struct Exercise {
  WorkedAttention worked;
  std::int64_t query = 0;  // the row that is asked for
};

/// Exercise `number` (below 2^55) of `seed`, a pure function of both. Whole numbers: queries from 1 to 3, keys from -2
/// to 3, values from -1 to 6. One query and two or three keys, or, with the causal mask, the last two queries of three
/// tokens, asked for the first of them; d_k 1, 2 or 4; d_v 1 or 2; scaled scores from -3 to 3. Every usual mistake
/// (inspect/practice/mistakes.h) gives other numbers than the right ones and than the other mistakes.
Exercise make_exercise(std::uint64_t seed, std::uint64_t number);

/// The right numbers for the query that is asked for, float64: [Tk] scores before the mask, [Tk] weights or [d_v]
/// outputs.
torch::Tensor right_answer(const Exercise& exercise, Step step);

/// bool [Tk]: the keys that the mask lets the query that is asked for look at.
torch::Tensor allowed_keys(const Exercise& exercise);

/// The weights that softmax makes of `scores` [Tk], which need not be the right ones, over the keys `allowed` (bool
/// [Tk]). float64 [Tk]. Throws BadInput for scores that are not finite.
torch::Tensor weights_from(const torch::Tensor& scores, const torch::Tensor& allowed);
/// The values mixed with `weights` [Tk], which need not be the right ones. float64 [d_v].
torch::Tensor output_from(const Exercise& exercise, const torch::Tensor& weights);

}  // namespace tinylm
