#include "model/decoder.h"

#include <algorithm>
#include <utility>

namespace tinylm {
namespace {

// More rows at once read the weights less often, but their own numbers leave the nearest cache.
constexpr std::int64_t kRowsAtOnce = 64;

/// Tokens [first_token, first_token + tokens) of texts [first_text, first_text + texts) of a call.
std::vector<DecoderPiece> pieces_of(std::int64_t B, std::int64_t t) {
  const std::int64_t tokens = std::min(t, kRowsAtOnce), texts = kRowsAtOnce / tokens;
  std::vector<DecoderPiece> pieces;
  for (std::int64_t b = 0; b < B; b += texts)
    for (std::int64_t i = 0; i < t; i += tokens)
      pieces.push_back({b, std::min(texts, B - b), i, std::min(tokens, t - i)});
  return pieces;
}

}  // namespace

Decoder::Decoder(const ModelConfig& config, const torch::nn::Module& model, DecoderPositions positions)
    : config_(config), positions_(std::move(positions)), weights_(config, model) {}

torch::Tensor Decoder::forward(const torch::Tensor& ids, KvCache& cache, bool last_only) {
  const std::lock_guard lock(mutex_);
  const torch::Tensor dense_ids = ids.to(torch::kCPU).contiguous();
  const std::int64_t B = ids.size(0), t = ids.size(1);
  torch::Tensor logits = torch::empty({B, last_only ? 1 : t, config_.vocabulary_size}, torch::kFloat32);
  DecoderWalk walk(config_, weights_, positions_, cache, buffer_);
  for (const DecoderPiece& piece : pieces_of(B, t))
    walk.run(piece, {.ids = dense_ids.data_ptr<std::int64_t>(),
                     .t = t,
                     .last_only = last_only,
                     .logits = logits.data_ptr<float>()});
  return logits;
}

}  // namespace tinylm
