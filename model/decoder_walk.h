// One walk over a model's weights with a few rows: the stages of the forward pass, shared by several threads.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parallel.h"
#include "model/config.h"
#include "model/decoder_weights.h"
#include "model/kv_cache.h"
#include "model/ops/attention_positions.h"

namespace tinylm {

/// What a model's positions do, in numbers.
struct DecoderPositions {
  torch::Tensor added;           // [context, C]: to the token embeddings; or undefined
  AttentionPositions attention;  // for the whole context
};

/// What a call of Decoder::forward gives and wants: ids [B, t], logits [B, t or 1, V].
struct DecoderCall {
  const std::int64_t* ids = nullptr;
  std::int64_t t = 0;
  bool last_only = false;
  float* logits = nullptr;
};

/// The part of a call that one walk computes: tokens [first_token, + tokens) of texts [first_text, + texts), a row
/// each. All tokens of the call when there is more than one text.
struct DecoderPiece {
  std::int64_t first_text = 0, texts = 0, first_token = 0, tokens = 0;
  std::int64_t rows() const { return texts * tokens; }
};

class DecoderWalk {
 public:
  /// `buffer` is made larger as needed. The arguments must outlive the walk.
  DecoderWalk(const ModelConfig& config, const DecoderWeights& weights, const DecoderPositions& positions,
              KvCache& cache, std::vector<float>& buffer);

  /// Appends the rows' keys and values to the cache (which is not advanced) and writes their logits. Pieces with
  /// earlier tokens of the same texts come first.
  void run(const DecoderPiece& piece, const DecoderCall& call);

 private:
  /// A layer of the cache.
  struct CacheLayer {
    float *keys, *values;
  };
  /// Numbers of all rows; of one thread alone.
  struct Shared {
    float *x, *heads, *joined, *wide, *hidden;
  };
  struct Own {
    float *normed, *means, *scales, *scores;
  };
  std::int64_t wide_stride() const;
  std::int64_t hidden_stride() const;
  std::int64_t own_size(std::int64_t rows) const;
  void make_room(std::int64_t rows, int threads);
  Own own(const Team& team, std::int64_t rows) const;

  void embed(const DecoderPiece& piece, const DecoderCall& call) const;
  void normalise(const NormWeights& norm, const float* x, std::int64_t rows, const Own& own, float* y) const;
  void attend(const Team& team, std::int64_t layer, const DecoderPiece& piece, float* scores) const;
  /// `next`: what the walk multiplies with after it.
  void feed_forward(const Team& team, const BlockWeights& block, std::int64_t rows, const Own& own,
                    const ops::Panels& next) const;
  void output(const Team& team, const DecoderPiece& piece, const DecoderCall& call, const Own& own) const;

  const ModelConfig& config_;
  const DecoderWeights& weights_;
  const DecoderPositions& positions_;
  std::vector<CacheLayer> cache_;
  std::int64_t length_, capacity_, C_, D_, Hkv_;  // of the cache: tokens there, and room
  std::vector<float>& buffer_;
  Shared shared_ = {};
};

}  // namespace tinylm
