#include "inspect/next_tokens.h"

namespace tinylm {

NextTokens next_tokens(const torch::Tensor& logits) {
  const std::int64_t V = logits.size(1);
  if (logits.numel() <= NextTokens::kMostLogits || V <= NextTokens::kKept) return {logits, {}, {}, V};
  const auto [values, ids] = logits.sort(/*dim=*/1, /*descending=*/true);
  constexpr std::int64_t N = NextTokens::kKept;
  return {values.slice(1, 0, N).contiguous(), ids.slice(1, 0, N).to(torch::kInt32).contiguous(),
          values.slice(1, N).logsumexp(1), V};
}

}  // namespace tinylm
