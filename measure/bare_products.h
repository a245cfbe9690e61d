// The matrix products of a training step alone, through the product engine: what is left of a step when everything else
// costs nothing, which is the limit of a program that leaves its products to oneDNN.
#pragma once

#include <cstdint>
#include <vector>

#include "model/config.h"

namespace tinylm {

/// Sizes of causal attention over B texts.
struct AttentionSizes {
  std::int64_t B = 0, T = 0, H = 0, D = 0;
};

/// The six products of causal attention forward and backward (Q K^T, P V; P^T dO, dO V^T, dS K, dS^T Q) over the
/// allowed half alone: strips of queries with the keys up to their last one.
class AttentionProducts {
 public:
  explicit AttentionProducts(const AttentionSizes& sizes);

  /// Multiplies once; gives the seconds it took, less the share of what the strips compute beyond the allowed half.
  double run_s();
  /// Its floating-point operations, in the allowed half.
  static double operations(const AttentionSizes& sizes);

 private:
  void run_strip(std::int64_t first, std::int64_t last);

  AttentionSizes sizes_;
  std::vector<float> q_, k_, v_, doutput_;    // [B H, T, D], not changed
  std::vector<float> output_, dq_, dk_, dv_;  // [B H, T, D]
  std::vector<float> scores_, dscores_;       // [B H, strip, T]
};

/// All products of one training step on B texts: linear layers and output projection, forward, input gradients and
/// weight gradients, and attention's. Each layer has weights and gradients of its own, rows are shared: a step moves
/// more memory than this.
class BareProducts {
 public:
  BareProducts(const ModelConfig& config, std::int64_t B);

  /// Multiplies once; gives the seconds it took.
  double run_s();
  /// Its floating-point operations for such a model.
  static double operations(const ModelConfig& config, std::int64_t B);
  /// Memory it holds for such a model, bytes.
  static std::uint64_t memory_bytes(const ModelConfig& config, std::int64_t B);

 private:
  struct Linear {
    std::int64_t inputs, outputs;
  };
  static std::vector<Linear> linear_layers(const ModelConfig& config);
  static std::int64_t widest(const std::vector<Linear>& layers);
  void run_linear_layers();

  std::int64_t rows_, layers_;
  std::vector<Linear> linear_;              // all of the model
  std::vector<float> weights_, gradients_;  // of all, one after another
  std::vector<float> x_, dy_, y_, dx_;      // rows x the widest layer
  AttentionProducts attention_;
};

}  // namespace tinylm
