// The attention half of a block in one step: x + dropout(projection(attention(query_key_value(norm(x))))).
#pragma once

#include <array>
#include <cstdint>

#include "core/torch.h"
#include "model/config.h"
#include "model/ops/attention_positions.h"
#include "model/ops/dropout.h"
#include "model/ops/ops.h"

namespace tinylm::ops {

/// The weights of the sublayer, or their gradients; undefined where a model has none.
struct AttentionWeights {
  torch::Tensor norm_weight, norm_bias;                        // [C]
  torch::Tensor query_key_value_weight, query_key_value_bias;  // [(H + 2 Hkv) D, C], [(H + 2 Hkv) D]
  torch::Tensor query_weight, key_weight;                      // [D], of the norms of queries and keys
  torch::Tensor projection_weight, projection_bias;            // [C, C], [C]

  std::array<torch::Tensor*, 8> all() {
    return {&norm_weight,  &norm_bias,  &query_key_value_weight, &query_key_value_bias,
            &query_weight, &key_weight, &projection_weight,      &projection_bias};
  }
};

/// What else the sublayer is, named as in ModelConfig.
struct AttentionChoices {
  NormKind norm = NormKind::kLayerNorm;
  std::int64_t heads = 1, kv_heads = 1;
  AttentionPositions positions = {};
  DropoutPlan dropout = {};
  std::int64_t weights_site = 0, output_site = 0;  // of dropout
  Ops ops = Ops::kAuto;                            // or kBfloat16
};

/// x [B, T, C] -> [B, T, C], causal; float32 on the processor. One node of the autograd graph: the products of the
/// linear layers run in the product engine (matmul.h), attention in tiles (kernels/packed_attention.h). It keeps x, the
/// norm's statistics, the packed queries, keys and values, the joined heads and two numbers a row of scores, and works
/// the rest out again. The definition is SelfAttention::forward with the norm before it and the addition behind.
torch::Tensor attention_sublayer(const torch::Tensor& x, AttentionWeights weights, const AttentionChoices& choices);

}  // namespace tinylm::ops
