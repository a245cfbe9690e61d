// Muon: momentum whose matrices are orthogonalised, so that every direction of a weight matrix learns at the same pace;
// embeddings, output projection, norms and biases take AdamW's steps. Source: Jordan, Jin, Boza, You, Cesista, Newhouse
// & Bernstein, "Muon: an optimizer for hidden layers in neural networks" (2024).
#pragma once

#include <vector>

#include "model/config.h"
#include "train/optim/adamw.h"
#include "train/optim/optimizer.h"
#include "train/optim/orthogonalise.h"

namespace tinylm {

struct MuonOptions {
  double rate_factor = 10.0;    // of the matrices' learning rate, against that of AdamW's parameters
  double momentum = 0.95;       // decay of the mean gradient a step; Nesterov's form
  std::int64_t iterations = 3;  // of the orthogonalisation
  double weight_decay = 0.1;    // of the matrices, times their learning rate; 0: off
  AdamWOptions adamw = {};      // for everything but the blocks' matrices
};

class Muon : public Optimizer {
 public:
  /// `config` tells which matrices are stored one below the other in one parameter: queries, keys and values, and the
  /// two halves of a gated feed-forward are orthogonalised apart.
  Muon(const torch::nn::Module& model, const ModelConfig& config, const MuonOptions& options);

  /// W <- (1 - rate * decay) W - rate * sqrt(max(1, rows / columns)) * orthogonalised(momentum), for every matrix.
  void step(std::int64_t step, double learning_rate, double gradient_scale) override;
  /// "momentum.NAME" for the blocks' matrices, AdamW's state for the others.
  NamedTensors state() const override;
  std::string describe_groups() const override;

 private:
  /// A matrix: some rows of a parameter, and its place in the working memory.
  struct Part {
    std::size_t parameter;              // index into parameters().all()
    std::int64_t first, rows, columns;  // the parameter's element that it begins with
    std::int64_t place;                 // in ahead_ and orthogonal_
    std::int64_t count() const { return rows * columns; }
  };
  void gather(const Part& part, const float* gradient, float gradient_scale);
  void apply(const Part& part, double rate);

  MuonOptions options_;
  AdamW adamw_;
  Orthogonaliser orthogonalise_;
  std::vector<Part> parts_;
  std::vector<torch::Tensor> momentum_;    // like the parameters, undefined where AdamW steps
  std::vector<float> ahead_, orthogonal_;  // all parts one after another: what is made orthogonal, and the result
};

}  // namespace tinylm
