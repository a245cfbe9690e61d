// The weights by which heads and the residual stream reach the logits, taken out of a model by name.
#pragma once

#include <cstdint>

#include "core/torch.h"
#include "model/model.h"

namespace tinylm {

/// All as the model holds them (float32), cut off from the gradient.
class OutputWeights {
 public:
  explicit OutputWeights(const LanguageModel& model);

  /// What each head's output [.., D] is multiplied with before it enters the residual stream: [H, D, C].
  torch::Tensor of_heads(std::int64_t layer) const;
  /// The bias added behind them, [C]; undefined where there is none.
  torch::Tensor head_bias(std::int64_t layer) const;
  const torch::Tensor& embedding() const { return embedding_; }      // [V, C], of tokens
  const torch::Tensor& norm_weight() const { return norm_weight_; }  // [C], of the final norm
  const torch::Tensor& norm_bias() const { return norm_bias_; }      // [C]; undefined where there is none
  const torch::Tensor& output() const { return output_; }            // [V, C], of the output projection

  /// The logits that residual streams x [..., C] would give: final norm and output projection -> [..., V].
  torch::Tensor logits(const torch::Tensor& x, Ops ops) const;

 private:
  ModelConfig config_;
  torch::OrderedDict<std::string, torch::Tensor> parameters_;
  torch::Tensor embedding_, norm_weight_, norm_bias_, output_;
};

}  // namespace tinylm
