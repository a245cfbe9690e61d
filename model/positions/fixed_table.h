// A table of numbers that follows from the sizes alone: no parameter, not saved, converted to a model's dtype and
// device on use.
#pragma once

#include <mutex>

#include "core/torch.h"

namespace tinylm {

class FixedTable {
 public:
  /// `values`: float64, on the processor.
  explicit FixedTable(torch::Tensor values) : values_(std::move(values)) {}

  /// The table with dtype and device of `like`; the last conversion is kept. May be called from several threads.
  torch::Tensor like(const torch::Tensor& like) const {
    const std::lock_guard lock(mutex_);
    if (!converted_.defined() || converted_.dtype() != like.dtype() || converted_.device() != like.device())
      converted_ = values_.to(like.options());
    return converted_;
  }

 private:
  torch::Tensor values_;
  mutable std::mutex mutex_;
  mutable torch::Tensor converted_;
};

}  // namespace tinylm
