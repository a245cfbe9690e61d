#include "model/ops/weight_copies.h"

#include <cstdint>
#include <unordered_map>

#include "model/ops/kernels/bfloat16.h"

namespace tinylm::ops {
namespace {

/// Copies by where the weight lies; another weight may come to lie there, so each knows whose it is.
class WeightCopies {
 public:
  std::shared_ptr<const RoundedWeight> find(const torch::Tensor& weight) {
    const std::lock_guard lock(mutex_);
    const auto found = copies_.find(weight.data_ptr());
    const bool own = found != copies_.end() && found->second.is_of(weight);
    if (own && found->second.version == weight._version()) return found->second.rounded;
    if (!own) forget_the_dead();
    return copies_.insert_or_assign(weight.data_ptr(), Copy(weight)).first->second.rounded;
  }

 private:
  struct Copy {
    explicit Copy(const torch::Tensor& weight)
        : memory(weight.storage().getWeakStorageImpl()),
          version(weight._version()),
          rounded(std::make_shared<const RoundedWeight>(weight)) {}
    bool is_of(const torch::Tensor& weight) const {
      const auto alive = memory.lock();
      return alive && alive.get() == weight.storage().unsafeGetStorageImpl() &&
             rounded->numbers().sizes() == weight.sizes();
    }
    c10::weak_intrusive_ptr<c10::StorageImpl> memory;
    std::uint32_t version;
    std::shared_ptr<const RoundedWeight> rounded;
  };

  void forget_the_dead() {
    std::erase_if(copies_, [](const auto& entry) { return entry.second.memory.expired(); });
  }

  std::mutex mutex_;
  std::unordered_map<const void*, Copy> copies_;
};

}  // namespace

torch::Tensor rounded(const torch::Tensor& x) {
  const torch::Tensor copy = at::empty(x.sizes(), at::dtype(torch::kBFloat16));
  round_to_bfloat16(x.data_ptr<float>(), x.numel(), static_cast<Bfloat16*>(copy.data_ptr()));
  return copy;
}

PackedMatrix RoundedWeight::packed(const MatmulShape& shape, Use use) const {
  const std::lock_guard lock(mutex_);
  PackedMatrix& kept = packed_[static_cast<int>(use)];
  if (!kept.fits(shape)) kept = PackedMatrix(shape, static_cast<const Bfloat16*>(numbers_.data_ptr()));
  return kept;
}

std::shared_ptr<const RoundedWeight> rounded_weight(const torch::Tensor& weight) {
  static WeightCopies copies;
  return copies.find(weight);
}

}  // namespace tinylm::ops
