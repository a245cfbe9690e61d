// One attention calculation with every number on its way, for people who want to check it by hand.
#pragma once

#include "core/torch.h"
#include "model/ops/attention.h"

namespace tinylm::ops {

/// What attention() works out for Tq queries and Tk keys, in the order in which a person does. Rows are queries.
struct AttentionSteps {
  double scale = 0.0;          // 1 / sqrt(d_k)
  torch::Tensor dot_products;  // [Tq, Tk], q_i . k_j
  torch::Tensor scores;        // [Tq, Tk], scale * dot products, before the mask
  torch::Tensor allowed;       // bool [Tq, Tk]
  torch::Tensor masked;        // [Tq, Tk], scores + bias; minus infinity where not allowed
  torch::Tensor largest;       // [Tq, 1], the largest of a row's masked scores; 0 for a row without an allowed key
  torch::Tensor exponentials;  // [Tq, Tk], exp(masked - largest); exactly 0 where not allowed
  torch::Tensor sums;          // [Tq, 1], of the exponentials
  torch::Tensor weights;       // [Tq, Tk], what attention() gives: exponentials / sums, zeros for a row without a key
  torch::Tensor output;        // [Tq, d_v], what attention() gives
};

/// q [Tq, d_k], k [Tk, d_k], v [Tk, d_v], all of one dtype; `mask` as attention_mask() prepares it for them. Throws as
/// attention() does.
AttentionSteps attention_steps(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                               const AttentionMask& mask = {});

}  // namespace tinylm::ops
