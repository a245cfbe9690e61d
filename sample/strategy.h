// How texts grow from a prompt: which tokens continue which texts.
#pragma once

#include <cstdint>
#include <vector>

#include "core/torch.h"
#include "sample/generator.h"

namespace tinylm {

/// The texts of the next step, a row each: a row of this step and the token that continues it.
struct NextRows {
  std::vector<std::int64_t> parents;
  std::vector<TokenId> ids;
};

/// Some texts that grow together, token by token, from one prompt. Knows neither the model nor its cache.
class Strategy {
 public:
  virtual ~Strategy() = default;
  /// `logits`: [rows, V], float32, contiguous, on the processor: what follows each row of the last step; of the first
  /// step one row, the prompt. Gives the rows that go on; none: all texts have ended.
  virtual NextRows step(const torch::Tensor& logits) = 0;
  /// Ends every text that still grows for a reason from outside.
  virtual void finish(FinishReason reason) = 0;
  /// The finished texts.
  virtual std::vector<Generated> take() = 0;
};

/// Row `row` of logits [rows, V] as values.
inline std::span<const float> row_of(const torch::Tensor& logits, std::int64_t row) {
  const std::int64_t V = logits.size(1);
  return {logits.data_ptr<float>() + row * V, static_cast<std::size_t>(V)};
}

}  // namespace tinylm
