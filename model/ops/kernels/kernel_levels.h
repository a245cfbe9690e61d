// The pieces of the kernels that one thread works on, compiled once for each instruction set (level_*.cpp).
#pragma once

#include <cstdint>

#include "core/instruction_set.h"
#include "model/ops/kernels/dropout_rows.h"
#include "model/ops/kernels/packed_attention.h"

/// Whether there are levels above the baseline. Only GCC compiles a region of a file for another processor by these
/// pragmas.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TINYLM_LEVELS 1
#else
#define TINYLM_LEVELS 0
#endif

namespace tinylm::ops {

/// What a thread takes at once: one key head of one text, and of its work the part-th of `parts`.
struct AttentionItem {
  std::int64_t b = 0, key_head = 0, part = 0, parts = 1;
};

struct AttentionForward {
  const float* packed;
  float* output;
  SoftmaxRows rows;
};

struct AttentionBackward {
  const float *packed, *output, *doutput;
  SoftmaxRows rows;
  float* dpacked;
};

/// Sums over the positions of an item for the gradients of the norms' weights, [D] each, added to.
struct WeightSums {
  float *query, *key;
};

/// Elements [first, last) of sample number `sample` of drop_rows(); pointers to the sample's first.
template <class Scalar>
struct DropoutRange {
  std::int64_t site, sample, first, last;
  const Scalar *in, *residual;
  Scalar* out;
};

/// Functions of one instruction set.
struct KernelLevel {
  /// The outputs of the tiles of queries numbered part, part + parts, ...
  void (*attend)(const PackedAttention&, const AttentionForward&, const AttentionItem&);
  /// Gradients of the keys and values in tiles number part, part + parts, ..., and what these add to the gradients of
  /// the queries: with one part those are finished, else put into `query_sums` [query_sums_size()].
  void (*differentiate)(const PackedAttention&, const AttentionBackward&, const AttentionItem&, const WeightSums&,
                        float* query_sums);
  /// Gradients of the item's queries from the sums of all its parts, which lie one after the other.
  void (*finish_queries)(const PackedAttention&, const AttentionBackward&, const AttentionItem&, const WeightSums&,
                         float* query_sums);
  /// drop_rows() for elements [first, last) of a sample; first a multiple of DropoutDraws::kSpan.
  void (*drop_range)(const DropoutPlan&, const DropoutRange<float>&);
};

/// Queries or keys in a tile.
inline constexpr std::int64_t kTile = 64;
/// Floats in a square of them.
inline constexpr std::int64_t kTileSquare = kTile * kTile;

/// Rows in memory are a multiple of this many floats, whatever the instruction set.
inline constexpr std::int64_t kPadding = 16;
inline constexpr std::int64_t padded(std::int64_t size) {
  return (size + kPadding - 1) / kPadding * kPadding;
}
inline std::int64_t tile_count(const PackedAttention& shape) {
  return (shape.T + kTile - 1) / kTile;
}
/// Floats: a padded row for each position of each query head that shares a key head.
inline std::int64_t query_sums_size(const PackedAttention& shape) {
  return shape.heads_a_key() * padded(shape.T) * padded(shape.D);
}

/// A buffer of this thread for `floats` numbers, aligned to cache lines; its contents last until the next call.
float* attention_scratch(std::int64_t floats);

const KernelLevel& kernels_baseline();
const KernelLevel& kernels_avx2();
const KernelLevel& kernels_avx512();
/// Those of the instruction set in use.
const KernelLevel& kernel_level();

}  // namespace tinylm::ops
