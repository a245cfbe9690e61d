#include "model/kv_cache.h"

#include <string>

#include "core/errors.h"
#include "core/torch.h"

namespace tinylm {
namespace {

/// Copies `values` behind the first `length` tokens of `store` [B, Hkv, capacity, D] and gives back all tokens there
/// are now.
torch::Tensor store_after(torch::Tensor& store, const torch::Tensor& values, std::int64_t length,
                          std::int64_t capacity) {
  const std::int64_t t = values.size(2);
  if (!store.defined() || store.dtype() != values.dtype() || store.device() != values.device())
    store = torch::zeros({values.size(0), values.size(1), capacity, values.size(3)}, values.options());
  store.narrow(2, length, t).copy_(values);
  return store.narrow(2, 0, length + t);
}

}  // namespace

KvCache::KvCache(const ModelConfig& config, std::int64_t B, std::int64_t capacity)
    : B_(B), capacity_(capacity), keys_(config.layers), values_(config.layers) {
  if (capacity < 1 || capacity > config.context)
    throw WrongUse("a cache must hold between 1 and the model's context of " + std::to_string(config.context) +
                   " tokens, asked for " + std::to_string(capacity));
}

std::pair<torch::Tensor, torch::Tensor> KvCache::append(std::int64_t layer, const torch::Tensor& keys,
                                                        const torch::Tensor& values) {
  const torch::NoGradGuard no_gradient;
  return {store_after(keys_[layer], keys.detach(), length_, capacity_),
          store_after(values_[layer], values.detach(), length_, capacity_)};
}

}  // namespace tinylm
