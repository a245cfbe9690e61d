// What one forward pass is asked for, and what its layers share.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/torch.h"
#include "model/kv_cache.h"
#include "model/ops/attention.h"
#include "model/ops/attention_positions.h"
#include "model/ops/dropout.h"
#include "model/ops/ops.h"

namespace tinylm {

class Positions;

/// What attention worked with in one layer: queries and keys as they meet, normalised and
/// rotated where the model does that, and values.
struct TracedHeads {
  torch::Tensor q;       // [B, H, T, D]
  torch::Tensor k, v;    // [B, Hkv, T, D]
  torch::Tensor output;  // [B, H, T, D], before the heads are joined and projected
};

/// What a forward pass should record, computed on the plain definitions unless `ops` says otherwise. Fields set to true
/// are filled, a tensor a layer, detached.
struct Trace {
  bool want_attention = false;
  bool want_residuals = false;
  bool want_heads = false;
  Ops ops = Ops::kPlain;  // kAuto: on the operations of the model, for who needs no more than their exactness
  std::vector<torch::Tensor> attention = {};        // L x [B, H, T, T], rows sum to one, exactly 0 where hidden
  std::vector<torch::Tensor> residuals = {};        // L+1 x [B, T, C]: after the embedding, then after each block
  std::vector<torch::Tensor> after_attention = {};  // L x [B, T, C], with the residuals: before the feed-forward
  std::vector<TracedHeads> heads = {};              // L
  ops::AttentionMask mask = {};                     // always: what was added to the scores of every layer

  /// Empties what an earlier pass recorded.
  void begin(const ops::AttentionMask& of_pass) {
    for (auto* recorded : {&attention, &residuals, &after_attention}) recorded->clear();
    heads.clear();
    mask = of_pass;
  }
};

struct ForwardOptions {
  KvCache* cache = nullptr;              // positions continue after cache->length()
  Trace* trace = nullptr;                // see there
  const DropoutPlan* dropout = nullptr;  // null: no dropout
  bool last_only = false;                // logits of the last token alone, [B, 1, V]
  bool force_causal = false;             // hide later tokens even when the model was trained with attention_mask none
};

/// Made by the model, read by every layer.
struct ForwardPass {
  const ForwardOptions& options;
  Ops ops;
  std::int64_t first_position;
  const Positions& positions;
  std::optional<AttentionPositions> fused;  // for the fused attention; nothing: attention is composed
  ops::AttentionMask mask;  // composed attention's: causal unless attention_mask is none; with the positions' bias
};

/// Numbers the places where dropout happens: one after the embedding, three in every block.
enum class DropoutPlace : std::int64_t { kAttentionWeights = 1, kAttentionOutput = 2, kFeedForwardOutput = 3 };
inline constexpr std::int64_t kEmbeddingDropoutSite = 0;
inline std::int64_t dropout_site(std::int64_t layer, DropoutPlace place) {
  return 3 * layer + static_cast<std::int64_t>(place);
}

/// Dropout at a site when the pass has any; else x itself.
inline torch::Tensor drop(const torch::Tensor& x, const ForwardPass& pass, std::int64_t site) {
  return pass.options.dropout ? ops::dropout(x, *pass.options.dropout, site) : x;
}

}  // namespace tinylm
