// What a model is: every size and choice of the network, saved with the run.
#pragma once

#include <cstdint>
#include <string>

namespace tinylm {

class OptionTable;
class Problems;

enum class NormKind { kLayerNorm, kRmsNorm };
enum class ActivationKind { kGelu, kSquaredRelu, kSwiGlu };
/// kNone lets every position see the tokens that it is asked to predict: for showing what goes wrong then.
/// Where the weights start (initialise.h).
enum class InitialisationKind { kGpt2, kZeroResidual };
enum class MaskKind { kCausal, kNone };

struct ModelConfig {
  std::int64_t vocabulary_size = 0;     // V; taken from the tokenizer, not an option
  std::int64_t context = 64;            // T: the most tokens a position can look back on, itself included
  std::int64_t layers = 4;              // L
  std::int64_t heads = 4;               // H query heads
  std::int64_t kv_heads = 0;            // key/value heads, a divisor of heads; 0: as many as heads
  std::int64_t width = 128;             // C, a multiple of heads; D = C / H
  std::int64_t feed_forward_width = 0;  // 0: 4 C (SwiGLU: 8/3 C rounded up to a multiple of 8)
  std::string positions = "learned";    // a name of position_kinds(): learned, sinusoidal, rope, alibi, none
  MaskKind attention_mask = MaskKind::kCausal;
  NormKind norm = NormKind::kLayerNorm;
  ActivationKind activation = ActivationKind::kGelu;
  bool bias = false;            // biases in linear layers and LayerNorm
  bool tied_embeddings = true;  // the output projection is the token embedding
  bool query_key_norm = false;  // RMSNorm of queries and keys a head before the product
  double dropout = 0.0;         // probability; 0: off
  InitialisationKind initialisation = InitialisationKind::kGpt2;

  std::int64_t head_size() const { return width / heads; }
  std::int64_t key_value_heads() const { return kv_heads == 0 ? heads : kv_heads; }
  std::int64_t hidden_width() const;  // of the feed-forward

  /// Adds its options to section [model] (not vocabulary_size).
  void describe(OptionTable& table);
  /// Notes everything that cannot be built: sizes below 1, width not a multiple of heads, heads not of kv_heads, odd
  /// head size with rope, dropout outside [0, 1). Names field, value and limit.
  void validate(Problems& problems) const;
  /// Number of trainable parameters, computed from the sizes alone; tied weights count once.
  std::int64_t parameter_count() const;
  /// Of these, the weights of the matrices inside the blocks.
  std::int64_t block_matrix_parameters() const;
};

}  // namespace tinylm
