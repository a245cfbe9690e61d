// The network: token embedding plus position, pre-norm causal self-attention blocks, final norm, output projection.
#pragma once

#include <cstdint>
#include <memory>

#include "core/torch.h"
#include "model/block.h"
#include "model/config.h"
#include "model/forward.h"
#include "model/layers.h"
#include "model/pass_mask.h"
#include "model/positions.h"

namespace tinylm {

/// The module. Parameters are named as they are stored: "token_embedding.weight",
/// "blocks.0.attention.query_key_value.weight", ...
class LanguageModelImpl : public torch::nn::Module {
 public:
  /// Initialised from `seed` (initialise.h). Throws WrongUse when `config` does not validate.
  LanguageModelImpl(const ModelConfig& config, std::uint64_t seed, Ops ops = Ops::kAuto);

  /// ids [B, T] int64 -> logits [B, T, V] float32 (float64 after to(kFloat64)). Throws BadInput for ids outside the
  /// vocabulary, for T (plus what the cache holds) above the context or the cache's capacity, and for a cache of
  /// another B or of a pass that is not causal.
  torch::Tensor forward(const torch::Tensor& ids, const ForwardOptions& options = {});

  const ModelConfig& config() const { return config_; }
  Ops ops() const { return ops_; }
  void set_ops(Ops ops) { ops_ = ops; }

 private:
  bool is_causal(const ForwardOptions& options) const;
  void check_input(const torch::Tensor& ids, const ForwardOptions& options) const;

  ModelConfig config_;
  Ops ops_;
  Embedding token_embedding_{nullptr};
  std::shared_ptr<Positions> positions_;
  PassMask mask_;
  torch::nn::ModuleList blocks_;
  Norm final_norm_{nullptr};
  Linear output_{nullptr};  // none when the embedding is tied
};
TORCH_MODULE(LanguageModel);

}  // namespace tinylm
