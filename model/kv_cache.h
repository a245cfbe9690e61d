// Keys and values of the tokens seen so far, so that generation computes each token once.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/torch.h"
#include "model/config.h"

namespace tinylm {

/// For generation: what it stores is cut off from the gradient.
class KvCache {
 public:
  /// Room for `capacity` tokens (at most the model's context) of B texts. Throws WrongUse when there is more room than
  /// context.
  KvCache(const ModelConfig& config, std::int64_t B, std::int64_t capacity);
  std::int64_t batch() const { return B_; }
  std::int64_t length() const { return length_; }
  std::int64_t capacity() const { return capacity_; }
  void clear() { length_ = 0; }

  /// From now on its texts are those of these rows, in this order: some may be gone, some be there several times.
  void select(std::span<const std::int64_t> rows);

  /// Called by the layers: stores keys and values [B, Hkv, t, D] after the `length()` tokens already there and gives
  /// back all of them, [B, Hkv, length() + t, D]. `advance` moves on once every layer has appended.
  std::pair<torch::Tensor, torch::Tensor> append(std::int64_t layer, const torch::Tensor& keys,
                                                 const torch::Tensor& values);
  void advance(std::int64_t tokens) { length_ += tokens; }

  /// A layer as it lies in memory, for whoever appends by himself. What was never stored is zero.
  struct Layer {
    torch::Tensor keys;    // [B, Hkv, blocks, D, 16]: 16 keys side by side, for dot products with all of them at once
    torch::Tensor values;  // [B, Hkv, capacity, D in whole 16s]
  };
  /// With this dtype and device; emptied when it had others.
  Layer& layer(std::int64_t index, const torch::TensorOptions& options);

 private:
  std::int64_t B_, Hkv_, D_, length_ = 0, capacity_;
  std::vector<Layer> layers_;  // made with the dtype of what comes first
};

}  // namespace tinylm
