// The matrix products of a training step alone, through the product engine: what is left of a step when everything else
// costs nothing, which is the limit of a program that leaves its products to oneDNN.
#pragma once

#include <cstdint>
#include <vector>

#include "model/config.h"
#include "model/ops/matmul.h"

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
/// weight gradients, and attention's, which is float32 always. Those of linear layers multiply what they are given in
/// `type`, rounded beforehand, and weights as a step's products read them (ops::weight_layout()). Each layer has
/// weights and gradients of its own, rows are shared: a step moves more memory than this.
class BareProducts {
 public:
  BareProducts(const ModelConfig& config, std::int64_t B, ops::MatmulInputs type = ops::MatmulInputs::kFloat32);

  /// Multiplies once; gives the seconds it took.
  double run_s();
  /// Its floating-point operations for such a model.
  static double operations(const ModelConfig& config, std::int64_t B);
  /// Memory it holds for such a model, bytes.
  static std::uint64_t memory_bytes(const ModelConfig& config, std::int64_t B);

 private:
  struct Linear {
    std::int64_t inputs, outputs;
    ops::PackedMatrix forward = {}, input_gradient = {};  // of the weight, where weights are packed
  };
  static std::vector<Linear> linear_layers(const ModelConfig& config);
  static std::int64_t widest(const std::vector<Linear>& layers);
  /// A matrix that is multiplied, in one of the two types.
  struct Operand {
    std::vector<float> float32;
    std::vector<ops::Bfloat16> bfloat16;
  };
  void fill(Operand& operand, std::int64_t count) const;
  void multiply(const ops::MatmulShape& shape, const Operand& a, const Operand& b, std::int64_t b_first,
                float* c) const;
  /// x times the weight that begins at `place`, which is packed or not.
  void multiply(const ops::MatmulShape& shape, const Operand& x, const ops::PackedMatrix& packed, std::int64_t place,
                float* y) const;
  void pack_weights();
  void run_linear_layers();

  ops::MatmulInputs type_;
  bool packed_ = false;
  std::int64_t rows_, layers_;
  std::vector<Linear> linear_;    // all of the model
  Operand weights_;               // of all, one after another
  std::vector<float> gradients_;  // of those
  Operand x_, dy_;                // rows x the widest layer
  std::vector<float> y_, dx_;     // likewise
  AttentionProducts attention_;
};

}  // namespace tinylm
