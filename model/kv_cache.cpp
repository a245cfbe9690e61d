#include "model/kv_cache.h"

#include <algorithm>
#include <string>

#include "core/errors.h"
#include "model/ops/kernels/lanes.h"

namespace tinylm {

using ops::kLanes;
using ops::whole_lanes;

KvCache::KvCache(const ModelConfig& config, std::int64_t B, std::int64_t capacity)
    : B_(B), Hkv_(config.key_value_heads()), D_(config.head_size()), capacity_(capacity), layers_(config.layers) {
  if (capacity < 1 || capacity > config.context)
    throw WrongUse("a cache must hold between 1 and the model's context of " + std::to_string(config.context) +
                   " tokens, asked for " + std::to_string(capacity));
}

void KvCache::select(std::span<const std::int64_t> rows) {
  const torch::NoGradGuard no_gradient;
  const torch::Tensor selected = torch::tensor(std::vector<std::int64_t>(rows.begin(), rows.end()));
  for (Layer& layer : layers_) {
    if (!layer.keys.defined()) continue;
    layer.keys = layer.keys.index_select(0, selected.to(layer.keys.device()));
    layer.values = layer.values.index_select(0, selected.to(layer.values.device()));
  }
  B_ = static_cast<std::int64_t>(rows.size());
}

KvCache::Layer& KvCache::layer(std::int64_t index, const torch::TensorOptions& options) {
  Layer& layer = layers_[index];
  if (!layer.keys.defined() || layer.keys.dtype() != options.dtype() || layer.keys.device() != options.device()) {
    layer.keys = torch::zeros({B_, Hkv_, whole_lanes(capacity_) / kLanes, D_, kLanes}, options);
    layer.values = torch::zeros({B_, Hkv_, capacity_, whole_lanes(D_)}, options);
  }
  return layer;
}

std::pair<torch::Tensor, torch::Tensor> KvCache::append(std::int64_t layer, const torch::Tensor& keys,
                                                        const torch::Tensor& values) {
  const torch::NoGradGuard no_gradient;
  const Layer& to = this->layer(layer, keys.options());
  const std::int64_t t = keys.size(2), T = length_ + t;
  const torch::Tensor by_token = to.keys.transpose(3, 4);  // [B, Hkv, blocks, 16, D]
  for (std::int64_t first = length_; first < T;) {
    const std::int64_t place = first % kLanes, count = std::min(kLanes - place, T - first);
    by_token.select(2, first / kLanes).narrow(2, place, count).copy_(keys.narrow(2, first - length_, count));
    first += count;
  }
  to.values.narrow(3, 0, D_).narrow(2, length_, t).copy_(values);
  return {by_token.flatten(2, 3).narrow(2, 0, T), to.values.narrow(3, 0, D_).narrow(2, 0, T)};
}

}  // namespace tinylm
