// The network: token embedding plus position, pre-norm causal self-attention blocks, final norm, output projection.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "core/torch.h"
#include "model/block.h"
#include "model/config.h"
#include "model/forward.h"
#include "model/layers.h"
#include "model/pass_mask.h"
#include "model/positions.h"

namespace tinylm {

class Decoder;

/// The module. Parameters are named as they are stored: "token_embedding.weight",
/// "blocks.0.attention.query_key_value.weight", ...
class LanguageModelImpl : public torch::nn::Module {
 public:
  /// Initialised from `seed` (initialise.h); from none, for those who load its
  /// weights, matrices hold anything. Throws WrongUse when
  /// `config` does not validate.
  LanguageModelImpl(const ModelConfig& config, std::optional<std::uint64_t> seed, Ops ops = Ops::kAuto);

  /// ids [B, T] int64 -> logits [B, T, V] float32 (float64 after to(kFloat64)): hidden() times output_weight()^T.
  /// With a cache and no gradient in one walk over the weights, decoder.h.
  torch::Tensor forward(const torch::Tensor& ids, const ForwardOptions& options = {});

  /// ids [B, T] int64 -> what the output projection takes, [B, T, C]. Throws BadInput for ids outside the vocabulary,
  /// for T (plus what the cache holds) above the context or the cache's capacity, and for a cache of another B or of a
  /// pass that is not causal.
  torch::Tensor hidden(const torch::Tensor& ids, const ForwardOptions& options = {});
  /// What hidden() gives where the residual stream was `x` [B, T, C] after the attention of `layer` (from 0) and its
  /// addition: the rest of the pass, of B texts at positions 0 .. T - 1, without a cache, a trace or dropout. So a
  /// head's part in the stream can be exchanged without computing anew what comes before.
  torch::Tensor hidden_after_attention(torch::Tensor x, std::int64_t layer);
  /// The output projection, [V, C]; the token embedding when that is tied to it.
  const torch::Tensor& output_weight() const { return output_ ? output_->weight() : token_embedding_->weight(); }

  /// Whether passes with a cache and no gradient go through decoder.h: then a text's logits do not depend on the other
  /// texts of the batch, bit for bit.
  bool decodes() const;
  /// Frees what such passes keep, a copy of the weights; the next one makes it anew.
  void forget_decoder();
  bool keeps_decoder();

  const ModelConfig& config() const { return config_; }
  Ops ops() const { return ops_; }
  void set_ops(Ops ops) { ops_ = ops; }

 private:
  /// A trace is computed on the definitions unless it says otherwise; bfloat16 is only for what is learned from.
  Ops ops_of(const ForwardOptions& options) const;
  bool is_causal(const ForwardOptions& options) const;
  /// What the fused attention needs when the pass goes there (dispatch.h).
  std::optional<AttentionPositions> fused_attention(std::int64_t T, const ForwardOptions& options) const;
  /// `options` must outlive the pass.
  ForwardPass pass_of(std::int64_t T, const ForwardOptions& options);
  void check_input(const torch::Tensor& ids, const ForwardOptions& options) const;
  /// Null where this pass is not decoded.
  std::shared_ptr<Decoder> decoder_for(const ForwardOptions& options);

  ModelConfig config_;
  Ops ops_;
  Embedding token_embedding_{nullptr};
  std::shared_ptr<Positions> positions_;
  PassMask mask_;
  torch::nn::ModuleList blocks_;
  Norm final_norm_{nullptr};
  Linear output_{nullptr};  // none when the embedding is tied
  std::mutex decoder_mutex_;
  std::shared_ptr<Decoder> decoder_;  // made for the first pass that is decoded, and anew when parameters change
};
TORCH_MODULE(LanguageModel);

}  // namespace tinylm
