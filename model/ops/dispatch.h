// The one table of fast implementations: for which operation, device and dtype something faster than the definition
// exists.
#pragma once

#include <initializer_list>

#include "core/torch.h"
#include "model/ops/ops.h"

namespace tinylm::ops {

enum class Operation { kLinear, kProduct, kNorm, kFeedForward, kEmbedding, kProjectedLoss };

struct FastPath {
  Operation operation;
  torch::DeviceType device;
  torch::ScalarType dtype;
};

inline constexpr FastPath kFastPaths[] = {
    {Operation::kLinear, torch::kCPU, torch::kFloat32},         // oneDNN, ops/linear.cpp
    {Operation::kProduct, torch::kCPU, torch::kFloat32},        // oneDNN, ops/product.cpp
    {Operation::kNorm, torch::kCPU, torch::kFloat32},           // ops/norms.cpp
    {Operation::kFeedForward, torch::kCPU, torch::kFloat32},    // with its norm and residual, ops/feed_forward.cpp
    {Operation::kEmbedding, torch::kCPU, torch::kFloat32},      // ops/embedding.cpp
    {Operation::kProjectedLoss, torch::kCPU, torch::kFloat32},  // ops/projected_loss.cpp
};

/// Whether `operation` on these tensors (undefined ones are passed over) goes to its fast implementation.
inline bool use_fast(Ops ops, Operation operation, std::initializer_list<torch::Tensor> tensors) {
  if (ops == Ops::kPlain) return false;
  for (const FastPath& path : kFastPaths) {
    if (path.operation != operation) continue;
    bool fits = true;
    for (const torch::Tensor& tensor : tensors)
      fits =
          fits && (!tensor.defined() || (tensor.device().type() == path.device && tensor.scalar_type() == path.dtype));
    if (fits) return true;
  }
  return false;
}

}  // namespace tinylm::ops
