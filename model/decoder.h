// Generation's forward pass: new tokens of one or more texts whose earlier ones are in a key/value cache, as one walk
// over the weights that all rows share. Its definition is LanguageModelImpl::forward on the plain operations.
#pragma once

#include <mutex>
#include <vector>

#include "core/torch.h"
#include "model/config.h"
#include "model/decoder_walk.h"
#include "model/decoder_weights.h"
#include "model/kv_cache.h"

namespace tinylm {

/// For float32 on the processor. A row's numbers do not depend on the other rows, nor on how many tokens came in the
/// same call, nor on the number of threads.
class Decoder {
 public:
  /// Copies the matrices of `model`, a LanguageModel of this configuration.
  Decoder(const ModelConfig& config, const torch::nn::Module& model, DecoderPositions positions);

  /// Whether the model's parameters are still those that were copied.
  bool current() const { return weights_.current(); }

  /// ids [B, t] int64, all inside the vocabulary, with room in `cache` (of B texts), which gets their keys and values
  /// but is not advanced -> logits [B, t, V], or those of the last token alone, [B, 1, V]. May be called from several
  /// threads; one at a time runs.
  torch::Tensor forward(const torch::Tensor& ids, KvCache& cache, bool last_only);

 private:
  ModelConfig config_;
  DecoderPositions positions_;
  DecoderWeights weights_;
  std::mutex mutex_;
  std::vector<float> buffer_;  // of the walk, kept from call to call; guarded by mutex_
};

}  // namespace tinylm
