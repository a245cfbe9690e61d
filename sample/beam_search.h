// The strategy of looking for the likeliest text: the likeliest beginnings are kept side by side and grow together.
// Source: as in Graves, "Sequence transduction with recurrent neural networks" (2012) and Wu et al., "Google's neural
// machine translation system" (2016).
#pragma once

#include <memory>
#include <vector>

#include "sample/growing_text.h"
#include "sample/sampler.h"
#include "sample/strategy.h"

namespace tinylm {

/// What a text's logarithm of likelihood is divided by, so that long texts can stand beside short ones: ((5 + tokens) /
/// 6)^penalty (Wu et al. 2016, section 7). 1 with a penalty of 0.
double length_divisor(std::int64_t tokens, double penalty);

/// Deterministic. A text is as likely as Sampler::log_likelihoods() says, token by token. Of texts that are equally
/// likely the one of the likelier beginning comes first, then that of the smaller id.
class BeamSearch : public Strategy {
 public:
  /// Keeps options.beams beginnings and gives the texts of ranks `first` to first + count - 1, of which `listener` is
  /// told when the search is over. The references must outlive it.
  BeamSearch(const Sampler& sampler, const Tokenizer& tokenizer, const std::vector<TokenId>& prompt,
             std::uint64_t first, std::uint64_t count, const GenerateOptions& options, const TextListener& listener);

  NextRows step(const torch::Tensor& logits) override;
  void finish(FinishReason reason) override;
  std::vector<Generated> take() override;

 private:
  struct Beam {
    GrowingText text;
    double log_likelihood = 0.0;
    std::int64_t tokens = 0;
  };
  struct Extension {
    std::size_t parent;
    TokenId id;
    double log_likelihood;
  };
  std::vector<Extension> extensions(const torch::Tensor& logits) const;
  double score(const Beam& beam) const;
  void keep_best_finished();
  bool decided() const;

  const Sampler& sampler_;
  const GenerateOptions& options_;
  const TextListener& listener_;
  std::uint64_t first_, count_;
  std::vector<std::unique_ptr<Beam>> growing_;   // a row each; the likeliest first
  std::vector<std::unique_ptr<Beam>> finished_;  // at most options.beams; the best first
};

}  // namespace tinylm
