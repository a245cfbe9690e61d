// Proof, on a model at hand, that no position sees later tokens.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run/run.h"

namespace tinylm {

/// What changing later tokens did to earlier logits, and what the attention weights add up to.
struct CausalityReport {
  std::int64_t tokens = 0;                  // T
  std::int64_t cuts = 0;                    // places after which every token was exchanged for another
  std::vector<std::int64_t> leaks = {};     // cuts at which a logit up to the cut changed in any bit
  double largest_sum_error = 0.0;           // of a row of attention weights against one, over all layers and heads
  std::int64_t weights_above_diagonal = 0;  // weights on later tokens that are not exactly 0

  bool passed() const;
};

/// Largest allowed difference of a row's sum from one, in float32.
inline constexpr double kRowSumTolerance = 1e-6;

/// Runs the model over `ids` once as they are and once for each cut 0 .. T-2 with every token after the cut exchanged,
/// on the operations that sampling uses and with a trace on the plain ones. Throws BadInput unless 2 <= T <= context,
/// or when the vocabulary has no other token to exchange for.
CausalityReport check_causality(LoadedModel& loaded, const std::vector<TokenId>& ids);

/// A line for each thing that was checked, with what was found.
std::string causality_text(const CausalityReport& report);

}  // namespace tinylm
