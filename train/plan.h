// What a training will need, known before it starts: memory and disk.
#pragma once

#include <cstdint>
#include <filesystem>

#include "model/config.h"
#include "model/ops/ops.h"
#include "train/options.h"

namespace tinylm {

/// Memory that training takes on top of the program itself, in bytes.
struct MemoryPlan {
  std::uint64_t weights_bytes = 0;      // 4 a parameter; in bfloat16 2 for each in a matrix besides, 6 with AMX
  std::uint64_t gradients_bytes = 0;    // 4 a parameter
  std::uint64_t optimizer_bytes = 0;    // state and working memory, see optimizer_size()
  std::uint64_t activations_bytes = 0;  // of one micro-batch, or of an evaluation where that is more
  std::uint64_t total_bytes() const { return weights_bytes + gradients_bytes + optimizer_bytes + activations_bytes; }
};

/// Estimates from sizes alone. Floats that the backward pass needs of one token, F being the feed-forward's width, E
/// what its expansion gives (2 F with SwiGLU, F otherwise):
///   fused (ops/attention_sublayer.h, ops/feed_forward.h, ops/projected_loss.h)
///     a layer: 4 C + 2 Hkv D (both inputs, queries, heads; keys and values) + E + 2 H + 4 (softmax, norms)
///     once:    3 C, 3 C more for gaps between buffers (measured), and 2 C + E + F with SwiGLU, 2 F otherwise, while a
///     feed-forward is differentiated, or the logits
///              of as many tokens as are held at a time, where those are more
///   plain (Ops::kPlain)
///     a layer: 8 C (two norms, residuals, outputs) + 2 (C + 2 Hkv D) (queries, keys, values and their rearrangement)
///              + E + F + 3 H T (scores, masked scores, weights), and with dropout 2 C + H T more
///     once:    C (embedding) + 3 V (logits, their logarithms, their gradient) + E + 2 H T while a layer is
///              differentiated
///   in bfloat16 (Ops::kBfloat16) half a float for each logit held at a time
/// An evaluation keeps one layer and the logits at a time.
MemoryPlan plan_memory(const ModelConfig& config, const TrainOptions& options, Ops ops = Ops::kAuto);

/// Bytes of one checkpoint: weights, the optimizer's state, and the headers.
std::uint64_t checkpoint_bytes(const ModelConfig& config, const TrainOptions& options);
/// Bytes that checkpoints will take at most, the one being written included, beyond the `saved` ones that there are
/// already when a training goes on after `step`.
std::uint64_t checkpoints_bytes(const ModelConfig& config, const TrainOptions& options, std::int64_t step = 0,
                                std::int64_t saved = 0);

/// Throws MemoryError when `plan` needs more than available_memory_bytes(), naming the largest part and the flag that
/// lowers it.
void require_memory(const MemoryPlan& plan, std::uint64_t available_bytes);
/// Throws FileError when the checkpoints of a training do not fit into `free_bytes` at `folder`.
void require_disk(std::uint64_t needed_bytes, std::uint64_t free_bytes, const std::filesystem::path& folder);

}  // namespace tinylm
