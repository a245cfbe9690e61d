// AdamW: Adam with weight decay apart from the gradient. Source: Loshchilov & Hutter, "Decoupled weight decay
// regularization" (ICLR 2019), algorithm 2, with the decay multiplied by the learning rate.
#pragma once

#include <vector>

#include "train/optim/optimizer.h"

namespace tinylm {

struct AdamWOptions {
  double beta1 = 0.9;         // decay of the mean gradient
  double beta2 = 0.99;        // decay of the mean squared gradient
  double epsilon = 1e-8;      // keeps the division finite where gradients were always 0
  double weight_decay = 0.1;  // of the matrices of blocks; 0: off
};

class AdamW : public Optimizer {
 public:
  using Choice = bool (*)(const Parameter& parameter);
  /// Steps the parameters that `steps` chooses, all of them unless told otherwise.
  AdamW(
      const torch::nn::Module& model, const AdamWOptions& options,
      Choice steps = [](const Parameter&) { return true; });

  /// One pass over the chosen parameters. Those without a gradient stay as they are.
  void step(std::int64_t step, double learning_rate, double gradient_scale) override;
  /// "mean.NAME" and "mean_square.NAME" for every chosen parameter.
  NamedTensors state() const override;
  std::string describe_groups() const override;

 private:
  AdamWOptions options_;
  std::vector<torch::Tensor> means_, mean_squares_;  // like the parameters, in their order; undefined: not chosen
};

}  // namespace tinylm
