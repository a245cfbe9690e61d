#include "model/decoder_walk.h"

#include <algorithm>
#include <cmath>

#include "model/ops/activations.h"
#include "model/ops/kernels/activation.h"
#include "model/ops/kernels/cached_attention.h"
#include "model/ops/kernels/row_norm.h"
#include "model/ops/norms.h"

namespace tinylm {
namespace {

using ops::kLanes;
using ops::whole_lanes;

// Products with fewer multiplications than this for a thread are not worth the waits between stages.
constexpr double kProductsPerThread = 100e3;

const float* numbers(const torch::Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<float>() : nullptr;
}

int useful_threads(const ModelConfig& config, std::int64_t rows) {
  const double products = static_cast<double>(config.parameter_count()) * static_cast<double>(rows);
  return static_cast<int>(std::clamp(products / kProductsPerThread, 1.0, 1024.0));
}

/// The weights that this thread multiplies with when the team shares a product.
const float* own_weights(const Team& team, const ops::Panels& panels) {
  return panels.values + team.share(panels.count()).first * panels.inputs * kLanes;
}

/// y = x W^T + b, this thread's share of the outputs.
void multiply(const Team& team, const ops::Panels& panels, const ops::PanelRows& rows) {
  const auto [first, last] = team.share(panels.count());
  ops::multiply_panels(panels, first, last, rows);
}

}  // namespace

DecoderWalk::DecoderWalk(const ModelConfig& config, const DecoderWeights& weights, const DecoderPositions& positions,
                         KvCache& cache, std::vector<float>& buffer)
    : config_(config),
      weights_(weights),
      positions_(positions),
      length_(cache.length()),
      capacity_(cache.capacity()),
      C_(config.width),
      D_(config.head_size()),
      Hkv_(config.key_value_heads()),
      buffer_(buffer) {
  for (std::int64_t l = 0; l < config.layers; ++l) {
    const KvCache::Layer& layer = cache.layer(l, torch::kFloat32);
    cache_.push_back({layer.keys.data_ptr<float>(), layer.values.data_ptr<float>()});
  }
}

void DecoderWalk::run(const DecoderPiece& piece, const DecoderCall& call) {
  const std::int64_t rows = piece.rows();
  const int threads = std::min(useful_threads(config_, rows), omp_get_max_threads());
  make_room(rows, threads);
  embed(piece, call);
  run_team(threads, [&](const Team& team) {
    const Own mine = own(team, rows);
    const auto product = [&](const ops::Panels& panels, const float* x, float* y, bool add, const ops::Panels& next) {
      multiply(team, panels, {rows, x, panels.inputs, y, panels.outputs, add, own_weights(team, next)});
    };
    for (std::int64_t layer = 0; layer < config_.layers; ++layer) {
      const BlockWeights& block = weights_.blocks()[layer];
      normalise(block.attention_norm, shared_.x, rows, mine, mine.normed);
      product(block.query_key_value, mine.normed, shared_.heads, /*add=*/false, block.projection);
      team.wait();
      attend(team, layer, piece, mine.scores);
      team.wait();
      product(block.projection, shared_.joined, shared_.x, /*add=*/true, block.expand);
      team.wait();
      normalise(block.feed_forward_norm, shared_.x, rows, mine, mine.normed);
      const bool is_last = layer + 1 == config_.layers;
      feed_forward(team, block, rows, mine, is_last ? weights_.output() : weights_.blocks()[layer + 1].query_key_value);
      team.wait();
    }
    output(team, piece, call, mine);
  });
}

void DecoderWalk::embed(const DecoderPiece& piece, const DecoderCall& call) const {
  float* x = shared_.x;  // [rows, C]
  for (std::int64_t b = piece.first_text; b < piece.first_text + piece.texts; ++b) {
    for (std::int64_t i = piece.first_token; i < piece.first_token + piece.tokens; ++i, x += C_) {
      const float* token = weights_.embedding() + call.ids[b * call.t + i] * C_;
      const float* added = numbers(positions_.added);
      if (added != nullptr) added += (length_ + i) * C_;
      for (std::int64_t c = 0; c < C_; ++c) x[c] = token[c] + (added ? added[c] : 0.0F);
    }
  }
}

void DecoderWalk::normalise(const NormWeights& norm, const float* x, std::int64_t rows, const Own& own,
                            float* y) const {
  const ops::RowNorm options{.kind = config_.norm,
                             .rows = rows,
                             .C = C_,
                             .epsilon = ops::kNormEpsilon,
                             .weight = norm.weight,
                             .bias = norm.bias};
  ops::row_norm_forward(options, x, y, {own.means, own.scales});
}

void DecoderWalk::attend(const Team& team, std::int64_t layer, const DecoderPiece& piece, float* scores) const {
  const BlockWeights& block = weights_.blocks()[layer];
  const std::int64_t H = config_.heads, G = H / Hkv_, width = (H + 2 * Hkv_) * D_;
  const auto [first, last] = team.share(piece.texts * Hkv_);
  for (std::int64_t unit = first; unit < last; ++unit) {
    const std::int64_t text = unit / Hkv_, head = unit % Hkv_, stored = (piece.first_text + text) * Hkv_ + head;
    float* row = shared_.heads + text * piece.tokens * width;
    const float* slopes = numbers(positions_.attention.slopes);
    ops::cached_attention({.tokens = piece.tokens,
                           .first = length_ + piece.first_token,
                           .G = G,
                           .D = D_,
                           .q = row + head * G * D_,
                           .k = row + (H + head) * D_,
                           .v = row + (H + Hkv_ + head) * D_,
                           .token_stride = width,
                           .keys = cache_[layer].keys + stored * D_ * whole_lanes(capacity_),
                           .values = cache_[layer].values + stored * capacity_ * whole_lanes(D_),
                           .keys_ahead = D_ * whole_lanes(capacity_),
                           .values_ahead = capacity_ * whole_lanes(D_),
                           .query_norm = block.query_norm,
                           .key_norm = block.key_norm,
                           .epsilon = static_cast<float>(ops::kNormEpsilon),
                           .cosines = numbers(positions_.attention.cosines),
                           .sines = numbers(positions_.attention.sines),
                           .slopes = slopes ? slopes + head * G : nullptr,
                           .scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(D_))),
                           .scores = scores,
                           .output = shared_.joined + text * piece.tokens * C_ + head * G * D_,
                           .output_stride = C_});
  }
}

void DecoderWalk::feed_forward(const Team& team, const BlockWeights& block, std::int64_t rows, const Own& own,
                               const ops::Panels& next) const {
  const std::int64_t parts = ops::activation_inputs(config_.activation), wide = wide_stride(), hidden = hidden_stride();
  const auto [first, last] = team.share(hidden / kLanes);
  ops::multiply_panels(block.expand, first * parts, last * parts,
                       {rows, own.normed, C_, shared_.wide, wide, /*add=*/false, own_weights(team, block.contract)});
  for (std::int64_t row = 0; row < rows; ++row)
    ops::activation_forward({config_.activation, last - first, kLanes},
                            shared_.wide + row * wide + first * parts * kLanes,
                            shared_.hidden + row * hidden + first * kLanes);
  team.wait();
  multiply(team, block.contract, {rows, shared_.hidden, hidden, shared_.x, C_, /*add=*/true, own_weights(team, next)});
}

void DecoderWalk::output(const Team& team, const DecoderPiece& piece, const DecoderCall& call, const Own& own) const {
  const std::int64_t V = config_.vocabulary_size, last = call.t - 1 - piece.first_token;  // the last token's place
  const bool ends = last < piece.tokens;
  if (call.last_only && !ends) return;
  const std::int64_t rows = call.last_only ? piece.texts : piece.rows();
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t from = call.last_only ? row * piece.tokens + last : row;
    normalise(weights_.final_norm(), shared_.x + from * C_, 1, own, own.normed + row * C_);
  }
  const std::int64_t first = call.last_only ? piece.first_text : piece.first_text * call.t + piece.first_token;
  multiply(team, weights_.output(), {rows, own.normed, C_, call.logits + first * V, V});
}

std::int64_t DecoderWalk::wide_stride() const {
  return ops::activation_inputs(config_.activation) * hidden_stride();
}

std::int64_t DecoderWalk::hidden_stride() const {
  return whole_lanes(config_.hidden_width());
}

std::int64_t DecoderWalk::own_size(std::int64_t rows) const {
  return whole_lanes(rows * C_) + 2 * whole_lanes(rows) + whole_lanes(capacity_);
}

void DecoderWalk::make_room(std::int64_t rows, int threads) {
  const std::int64_t sizes[] = {rows * C_, rows * (config_.heads + 2 * Hkv_) * D_, rows * C_, rows * wide_stride(),
                                rows * hidden_stride()};
  std::int64_t size = threads * own_size(rows);
  for (const std::int64_t one : sizes) size += whole_lanes(one);
  if (static_cast<std::int64_t>(buffer_.size()) < size) buffer_.resize(static_cast<std::size_t>(size));
  float* next = buffer_.data() + threads * own_size(rows);
  float** const places[] = {&shared_.x, &shared_.heads, &shared_.joined, &shared_.wide, &shared_.hidden};
  for (std::size_t i = 0; i < std::size(places); ++i) {
    *places[i] = next;
    next += whole_lanes(sizes[i]);
  }
}

DecoderWalk::Own DecoderWalk::own(const Team& team, std::int64_t rows) const {
  float* normed = buffer_.data() + team.thread() * own_size(rows);
  float* means = normed + whole_lanes(rows * C_);
  return {normed, means, means + whole_lanes(rows), means + 2 * whole_lanes(rows)};
}

}  // namespace tinylm
