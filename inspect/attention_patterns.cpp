#include "inspect/attention_patterns.h"

#include <cmath>
#include <vector>

namespace tinylm {
namespace {

/// How many keys each query may look at, [T] float64.
torch::Tensor allowed_keys(std::int64_t T, bool causal) {
  return causal ? torch::arange(1, T + 1, torch::kFloat64) : torch::full({T}, static_cast<double>(T), torch::kFloat64);
}

/// 1 where the two tokens are the same, for each pair: [T, T] float32.
torch::Tensor same_tokens(const torch::Tensor& ids) {
  return ids.unsqueeze(1).eq(ids.unsqueeze(0)).to(torch::kFloat32);
}

}  // namespace

torch::Tensor distance_pattern(std::int64_t T, std::int64_t distance, std::int64_t first) {
  torch::Tensor pattern = torch::zeros({T, T});
  if (distance < T) pattern.diagonal(-distance).fill_(1.0);
  pattern.slice(0, 0, first).zero_();
  return pattern;
}

torch::Tensor previous_token_pattern(std::int64_t T) {
  return distance_pattern(T, 1, 1);
}

torch::Tensor duplicate_token_pattern(const torch::Tensor& ids) {
  return same_tokens(ids).tril(-1);
}

torch::Tensor induction_pattern(const torch::Tensor& ids) {
  const std::int64_t T = ids.size(0);
  torch::Tensor pattern = torch::zeros({T, T});
  pattern.slice(1, 1).copy_(same_tokens(ids).slice(1, 0, T - 1));
  return pattern.tril();
}

PatternScore pattern_score(const torch::Tensor& attention, const torch::Tensor& pattern, bool causal) {
  const torch::Tensor matching = pattern.sum(-1, /*keepdim=*/false, torch::kFloat64);  // [T]
  const torch::Tensor rows = matching.gt(0.0).nonzero().squeeze(1);
  const torch::Tensor pairs = pattern.flatten().nonzero().squeeze(1);
  const torch::Tensor on_pairs = attention.flatten(-2).index_select(-1, pairs);  // [L, .., H, pairs]
  torch::Tensor values = on_pairs.sum(-1, /*keepdim=*/false, torch::kFloat64) / static_cast<double>(rows.size(0));
  if (values.dim() == 3) values = values.mean(1);
  const torch::Tensor uniform = (matching / allowed_keys(pattern.size(0), causal)).index_select(0, rows).mean();
  return {values, uniform.item<double>(), rows.size(0)};
}

PatternScore entropy_score(const torch::Tensor& attention, bool causal) {
  const std::int64_t T = attention.size(-1);
  const torch::Tensor most = allowed_keys(T, causal).log();  // [T]
  std::vector<torch::Tensor> layers;
  for (const torch::Tensor& weights : attention.unbind(0)) {  // a layer at a time stays in the processor's cache
    const torch::Tensor entropy = torch::xlogy(weights, weights).sum(-1, /*keepdim=*/false, torch::kFloat64).neg();
    layers.push_back((entropy / most).slice(-1, 1).mean(-1));  // [H]
  }
  return {torch::stack(layers), T > 1 ? 1.0 : std::nan(""), T - 1};
}

PatternScore first_token_score(const torch::Tensor& attention, bool causal) {
  torch::Tensor first_column = torch::zeros({attention.size(-1), attention.size(-1)});
  first_column.select(1, 0).slice(0, 1).fill_(1.0);
  return pattern_score(attention, first_column, causal);
}

}  // namespace tinylm
