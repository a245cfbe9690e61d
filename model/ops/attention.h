// Scaled dot-product attention, softmax(Q K^T / sqrt(d_k) + mask) V: the program's one definition.
// Source: Vaswani et al., "Attention is all you need" (2017), equation 1.
#pragma once

#include <cstdint>
#include <optional>

#include "core/torch.h"
#include "model/ops/dropout.h"
#include "model/ops/ops.h"

namespace tinylm::ops {

/// Which keys each query may look at and what is added to their scores, prepared once for many calls.
struct AttentionMask {
  torch::Tensor bias;        // added to the scores, minus infinity where not allowed; undefined: every key is allowed
  torch::Tensor empty_rows;  // bool [..., Tq, 1], true for queries without an allowed key; undefined: there are none
};

/// Prepares a mask for Tq queries and Tk keys, which must broadcast to [..., Tq, Tk]. `mask` is boolean (true: may
/// look) or additive, or undefined. `causal` also forbids key j to query i when j > i + Tk - Tq: the last query sees
/// every key.
AttentionMask attention_mask(std::int64_t Tq, std::int64_t Tk, bool causal, const torch::Tensor& mask = {},
                             torch::TensorOptions options = torch::kFloat32);

struct AttentionOptions {
  AttentionMask mask = {};
  std::optional<double> scale = {};      // factor of the dot products; not given: 1 / sqrt(d_k)
  const DropoutPlan* dropout = nullptr;  // of the weights; null: none
  std::int64_t dropout_site = 0;
  Ops ops = Ops::kPlain;  // how the two products are computed
};

struct Attention {
  torch::Tensor output;  // [..., Tq, d_v]
  torch::Tensor
      weights;  // [..., Tq, Tk] before dropout; rows sum to one, or are zero for a query without an allowed key
};

/// q [..., Tq, d_k], k [..., Tk, d_k], v [..., Tk, d_v], any leading dimensions. Grouped heads: with q [..., H, Tq,
/// d_k] and k, v [..., Hkv, Tk, .], H a multiple of Hkv, query head h uses key/value head h / (H / Hkv) (Ainslie et al.
/// 2023). Throws BadInput when the shapes do not fit together.
Attention attention(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                    const AttentionOptions& options = {});

}  // namespace tinylm::ops
