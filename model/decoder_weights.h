// A model's weights laid out for the walk of model/decoder.h.
#pragma once

#include <cstdint>
#include <vector>

#include "core/big_buffer.h"
#include "core/torch.h"
#include "model/config.h"
#include "model/ops/kernels/panels.h"

namespace tinylm {

struct NormWeights {
  const float* weight = nullptr;  // [size]
  const float* bias = nullptr;    // [size], or null
};

struct BlockWeights {
  NormWeights attention_norm;
  ops::Panels query_key_value;        // C -> (H + 2 Hkv) D
  const float* query_norm = nullptr;  // [D], or null
  const float* key_norm = nullptr;
  ops::Panels projection;  // C -> C
  NormWeights feed_forward_norm;
  ops::Panels expand;    // C -> F; SwiGLU: C -> 2 whole_lanes(F), a panel of gates before its panel of values
  ops::Panels contract;  // F -> C
};

/// Matrices are a copy, in the order of the walk; vectors and the embedding are the model's own.
class DecoderWeights {
 public:
  /// `model`: a LanguageModel whose parameters are float32 on the processor.
  DecoderWeights(const ModelConfig& config, const torch::nn::Module& model);

  /// Whether no parameter has been replaced or changed since (by its version, which writing in place raises).
  bool current() const;

  const float* embedding() const { return embedding_; }  // [V, C]
  const std::vector<BlockWeights>& blocks() const { return blocks_; }
  const NormWeights& final_norm() const { return final_norm_; }
  const ops::Panels& output() const { return output_; }  // C -> V

 private:
  struct Source {
    torch::Tensor parameter, dense;  // contiguous: as a rule the parameter itself
    const void* data;
    std::int64_t version;
  };
  class Packer;

  std::vector<Source> sources_;
  BigBuffer copy_;
  const float* embedding_ = nullptr;
  std::vector<BlockWeights> blocks_;
  NormWeights final_norm_;
  ops::Panels output_;
};

}  // namespace tinylm
