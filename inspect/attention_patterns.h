// How much of the attention of each head follows a pattern, such as "the token before".
#pragma once

#include <cstdint>

#include "core/torch.h"

namespace tinylm {

/// A number for each head, and what a head would get that looks at everything it may alike.
struct PatternScore {
  torch::Tensor values;   // [L, H] float64; NaN where there is no row to measure
  double uniform = 0.0;   // NaN likewise
  std::int64_t rows = 0;  // queries it is the mean of
};

// Patterns D [T, T] float32: 1 where a query (row) that follows the pattern looks, else 0. `ids` [T] int64.

/// k = q - 1 (Elhage et al., "A Mathematical Framework for Transformer Circuits", 2021).
torch::Tensor previous_token_pattern(std::int64_t T);
/// k < q and token k = token q (Wang et al. 2022).
torch::Tensor duplicate_token_pattern(const torch::Tensor& ids);
/// 1 <= k <= q and token k - 1 = token q (Olsson et al., "In-context Learning and Induction Heads", 2022).
torch::Tensor induction_pattern(const torch::Tensor& ids);
/// k = q - distance, for the queries from `first` on.
torch::Tensor distance_pattern(std::int64_t T, std::int64_t distance, std::int64_t first);

/// Mean of sum_k A[q,k] D[q,k] over the queries that have a match, those with a 1 in their row of `pattern`.
/// attention [L, H, T, T] or, for the mean over B texts too, [L, B, H, T, T]; not `causal`: uniform heads look at
/// later keys too.
PatternScore pattern_score(const torch::Tensor& attention, const torch::Tensor& pattern, bool causal);

/// -sum_k A ln A / ln(n), n the keys a query may look at, mean over q >= 1 (Clark et al. 2019): 0, one key, to 1, all
/// alike. attention [L, H, T, T].
PatternScore entropy_score(const torch::Tensor& attention, bool causal);
/// Mean over q >= 1 of A[q,0] (Xiao et al. 2023: "attention sinks").
PatternScore first_token_score(const torch::Tensor& attention, bool causal);

}  // namespace tinylm
