// The logits of the next token at each position: what sampling starts from.
#pragma once

#include <cstdint>

#include "core/torch.h"

namespace tinylm {

/// All V logits where they are few, else the likeliest ones, the rest in one number.
struct NextTokens {
  torch::Tensor logits;         // [T, N] float32, at temperature 1, of the model as it is
  torch::Tensor ids;            // [T, N] int32, the likeliest first; undefined: all, in the order of ids
  torch::Tensor rest;           // [T] float32: log-sum-exp of the logits left out; undefined with all
  std::int64_t vocabulary = 0;  // V

  static constexpr std::int64_t kMostLogits = 1'000'000;  // T V up to which all are kept
  static constexpr std::int64_t kKept = 256;              // N otherwise
};

/// logits [T, V] float32.
NextTokens next_tokens(const torch::Tensor& logits);

}  // namespace tinylm
