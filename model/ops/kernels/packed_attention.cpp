#include "model/ops/kernels/packed_attention.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "core/parallel.h"
#include "model/ops/kernels/kernel_levels.h"

namespace tinylm::ops {
namespace {

// With fewer pairs of a text and a key head than this, the work on each is divided too. The number is fixed, because
// the order in which sums are taken follows from it.
constexpr std::int64_t kLeastItems = 16;

std::int64_t parts_of_an_item(const PackedAttention& shape) {
  const std::int64_t pairs = std::max<std::int64_t>(1, shape.B * shape.Hkv);
  return std::clamp<std::int64_t>((kLeastItems + pairs - 1) / pairs, 1, tile_count(shape));
}

/// Item number i of B * Hkv * parts, the parts of a pair one after the other.
AttentionItem item_number(const PackedAttention& shape, std::int64_t i, std::int64_t parts) {
  const std::int64_t pair = i / parts;
  return {.b = pair / shape.Hkv, .key_head = pair % shape.Hkv, .part = i % parts, .parts = parts};
}

}  // namespace

float* attention_scratch(std::int64_t floats) {
  constexpr std::size_t kLine = 64;
  thread_local std::vector<float> kept;
  const std::size_t needed = static_cast<std::size_t>(floats) + kLine / sizeof(float);
  if (kept.size() < needed) {
    kept.clear();  // nothing to copy
    kept.resize(needed);
  }
  const auto address = reinterpret_cast<std::uintptr_t>(kept.data());
  return kept.data() + (kLine - address % kLine) % kLine / sizeof(float);
}

void packed_attention_forward(const PackedAttention& shape, const float* packed, float* output,
                              const SoftmaxRows& rows) {
  const KernelLevel& level = kernel_level();
  const AttentionForward arrays{packed, output, rows};
  const std::int64_t parts = parts_of_an_item(shape);
  parallel_items(shape.B * shape.Hkv * parts,
                 [&](std::int64_t i) { level.attend(shape, arrays, item_number(shape, i, parts)); });
}

void packed_attention_backward(const PackedAttention& shape, const float* packed, const float* output,
                               const SoftmaxRows& rows, const float* doutput, float* dpacked, float* dquery_weight,
                               float* dkey_weight) {
  const KernelLevel& level = kernel_level();
  const AttentionBackward arrays{packed, output, doutput, rows, dpacked};
  const std::int64_t parts = parts_of_an_item(shape), items = shape.B * shape.Hkv * parts, D = shape.D;
  std::vector<float> weight_sums(static_cast<std::size_t>(2 * items * D));  // of each item: for queries, for keys
  const auto sums_of = [&](std::int64_t i) {
    return WeightSums{weight_sums.data() + 2 * i * D, weight_sums.data() + (2 * i + 1) * D};
  };
  const std::int64_t sums_size = parts > 1 ? query_sums_size(shape) : 0;
  const auto query_sums = std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(items * sums_size));
  parallel_items(items, [&](std::int64_t i) {
    level.differentiate(shape, arrays, item_number(shape, i, parts), sums_of(i), query_sums.get() + i * sums_size);
  });
  if (parts > 1) {
    parallel_items(shape.B * shape.Hkv, [&](std::int64_t pair) {
      const std::int64_t i = pair * parts;
      level.finish_queries(shape, arrays, item_number(shape, i, parts), sums_of(i), query_sums.get() + i * sums_size);
    });
  }
  for (float* sum : {dquery_weight, dkey_weight}) {
    if (sum == nullptr) continue;
    std::fill(sum, sum + D, 0.0F);
    const float* partial = weight_sums.data() + (sum == dkey_weight ? D : 0);
    for (std::int64_t i = 0; i < items; ++i)
      for (std::int64_t d = 0; d < D; ++d) sum[d] += partial[2 * i * D + d];
  }
}

}  // namespace tinylm::ops
