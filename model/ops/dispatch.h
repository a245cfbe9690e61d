// The one table of fast implementations: for which operation, device, dtype and wishes something faster than the
// definition exists.
#pragma once

#include <initializer_list>

#include "core/torch.h"
#include "model/ops/ops.h"

namespace tinylm::ops {

enum class Operation { kLinear, kProduct, kNorm, kAttention, kFeedForward, kEmbedding, kProjectedLoss, kDecoding };

/// What a pass may want of an operation besides its result; added up.
enum Wish : unsigned {
  kNoWish = 0,
  kTraced = 1,       // weights and heads are recorded
  kCached = 2,       // keys and values come from a cache and go there
  kLaterKeys = 4,    // queries see the keys behind them too
  kOwnPositions = 8  // positions that cannot say in numbers what they do (Positions::in_numbers)
};

struct FastPath {
  Operation operation;
  torch::DeviceType device;
  torch::ScalarType dtype;
  unsigned wishes = kNoWish;  // those it can fulfil
};

inline constexpr FastPath kFastPaths[] = {
    {Operation::kLinear, torch::kCPU, torch::kFloat32},       // oneDNN, ops/linear.cpp
    {Operation::kProduct, torch::kCPU, torch::kFloat32},      // oneDNN, ops/product.cpp
    {Operation::kNorm, torch::kCPU, torch::kFloat32},         // ops/norms.cpp
    {Operation::kAttention, torch::kCPU, torch::kFloat32},    // with its norm and residual, ops/attention_sublayer.cpp
    {Operation::kFeedForward, torch::kCPU, torch::kFloat32},  // with its norm and residual, ops/feed_forward.cpp
    {Operation::kEmbedding, torch::kCPU, torch::kFloat32},    // ops/embedding.cpp
    {Operation::kProjectedLoss, torch::kCPU, torch::kFloat32},  // ops/projected_loss.cpp
    {Operation::kDecoding, torch::kCPU, torch::kFloat32},       // a pass with a key/value cache, model/decoder.h
};

/// Whether `operation` on these tensors (undefined ones are passed over) goes to its fast implementation, `wishes`
/// being those of the pass.
inline bool use_fast(Ops ops, Operation operation, std::initializer_list<torch::Tensor> tensors,
                     unsigned wishes = kNoWish) {
  if (ops == Ops::kPlain) return false;
  for (const FastPath& path : kFastPaths) {
    if (path.operation != operation || (wishes & ~path.wishes) != 0) continue;
    bool fits = true;
    for (const torch::Tensor& tensor : tensors)
      fits =
          fits && (!tensor.defined() || (tensor.device().type() == path.device && tensor.scalar_type() == path.dtype));
    if (fits) return true;
  }
  return false;
}

}  // namespace tinylm::ops
