#include "model/ops/attention_steps.h"

#include <cmath>
#include <limits>
#include <tuple>

namespace tinylm::ops {

AttentionSteps attention_steps(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                               const AttentionMask& mask) {
  constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
  const Attention attended = attention(q, k, v, {.mask = mask, .ops = Ops::kPlain});
  AttentionSteps steps;
  steps.scale = 1.0 / std::sqrt(static_cast<double>(q.size(-1)));
  steps.dot_products = torch::matmul(q, k.transpose(-2, -1));  // [Tq, Tk]
  steps.scores = steps.dot_products * steps.scale;
  steps.masked = mask.bias.defined() ? steps.scores + mask.bias : steps.scores;
  steps.allowed = mask.bias.defined() ? (mask.bias != kMinusInfinity).expand_as(steps.scores)
                                      : torch::ones_like(steps.scores, torch::kBool);
  const torch::Tensor largest = std::get<0>(steps.masked.max(-1, /*keepdim=*/true));  // [Tq, 1]
  steps.largest = largest.masked_fill(largest == kMinusInfinity, 0.0);
  steps.exponentials = (steps.masked - steps.largest).exp();
  steps.sums = steps.exponentials.sum(-1, /*keepdim=*/true);  // [Tq, 1]
  steps.weights = attended.weights;
  steps.output = attended.output;
  return steps;
}

}  // namespace tinylm::ops
