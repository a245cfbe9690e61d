// The strategy of drawing: each text takes one token a step, whatever the others do.
#pragma once

#include <memory>
#include <vector>

#include "sample/growing_text.h"
#include "sample/sampler.h"
#include "sample/strategy.h"

namespace tinylm {

class Sampling : public Strategy {
 public:
  /// Texts number `first` to first + count - 1. The references must outlive it.
  Sampling(const Sampler& sampler, const Tokenizer& tokenizer, const std::vector<TokenId>& prompt, std::uint64_t first,
           std::uint64_t count, const GenerateOptions& options, const TextListener& listener);

  NextRows step(const torch::Tensor& logits) override;
  void finish(FinishReason reason) override;
  std::vector<Generated> take() override;

 private:
  std::vector<Choice> choose(const torch::Tensor& logits) const;

  const Sampler& sampler_;
  const GenerateOptions& options_;
  std::vector<std::unique_ptr<GrowingText>> texts_;
  std::vector<GrowingText*> growing_;  // a row each, in the order of the rows
};

}  // namespace tinylm
