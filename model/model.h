// The network: token embedding plus position, pre-norm causal self-attention blocks, final norm, output projection.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "model/config.h"
#include "model/ops/dropout.h"
#include "model/ops/ops.h"

namespace tinylm {

/// Keys and values of the tokens seen so far, a layer each; generation feeds one token at a time instead of the whole text.
class KvCache {
 public:
  /// Room for `capacity` tokens (at most the model's context) of B texts.
  KvCache(const ModelConfig& config, std::int64_t B, std::int64_t capacity);
  std::int64_t length() const { return length_; }
  std::int64_t capacity() const { return capacity_; }
  void clear() { length_ = 0; }

  /// Called by the layers: stores keys and values [B, Hkv, t, D] after the `length()` tokens already there and gives back
  /// all of them, [B, Hkv, length() + t, D]. `advance` moves on once every layer has appended.
  std::pair<torch::Tensor, torch::Tensor> append(std::int64_t layer, const torch::Tensor& keys, const torch::Tensor& values);
  void advance(std::int64_t tokens) { length_ += tokens; }

 private:
  std::int64_t length_ = 0, capacity_ = 0;
  std::vector<torch::Tensor> keys_, values_;  // a layer each: [B, Hkv, capacity, D]
};

/// What a forward pass should record. Fields set to true are filled, a tensor a layer, float32, detached.
struct Trace {
  bool want_attention = false;
  bool want_residuals = false;
  std::vector<torch::Tensor> attention;  // L x [B, H, T, T], rows sum to one, exactly 0 above the diagonal
  std::vector<torch::Tensor> residuals;  // L+1 x [B, T, C]: after the embedding, then after each block
};

struct ForwardOptions {
  KvCache* cache = nullptr;              // positions continue after cache->length()
  Trace* trace = nullptr;                // computed on the plain definitions
  const DropoutPlan* dropout = nullptr;  // null: no dropout
};

/// The module. Parameters are named as they are stored: "token_embedding.weight", "blocks.0.attention.query_key_value.weight", ...
class LanguageModelImpl : public torch::nn::Module {
 public:
  /// Initialised from `seed` (Philox, kInitialisation; GPT-2's rule: normal with standard deviation 0.02, residual projections
  /// 0.02 / sqrt(2 L), norms 1, biases 0; the matrix that gives the logits at most 0.4 / sqrt(C), so that the first loss is
  /// within 0.1 of ln V at any width). Throws WrongUse when `config` does not validate.
  LanguageModelImpl(const ModelConfig& config, std::uint64_t seed, Ops ops = Ops::kAuto);

  /// ids [B, T] int64, T (plus what the cache holds) at most the context -> logits [B, T, V] float32 (float64 after to(kFloat64)).
  torch::Tensor forward(const torch::Tensor& ids, const ForwardOptions& options = {});

  const ModelConfig& config() const { return config_; }
  Ops ops() const { return ops_; }
  void set_ops(Ops ops);

 private:
  ModelConfig config_;
  Ops ops_;
};
TORCH_MODULE(LanguageModel);

}  // namespace tinylm
