#include "train/plan.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/errors.h"
#include "core/numbers.h"
#include "train/evaluate.h"
#include "train/optim/optimizer.h"

namespace tinylm {
namespace {

constexpr std::uint64_t kFloatBytes = 4;
constexpr std::uint64_t kFileOverhead = 64 * 1024;  // headers and state.json of a checkpoint

/// Floats of one token that one layer keeps for the backward pass.
std::uint64_t layer_floats(const ModelConfig& config) {
  const std::int64_t C = config.width, H = config.heads, T = config.context;
  const std::int64_t query_key_value = C + 2 * config.key_value_heads() * config.head_size();
  const std::int64_t hidden = config.hidden_width() * (config.activation == ActivationKind::kSwiGlu ? 3 : 2);
  const std::int64_t dropped = config.dropout > 0.0 ? 2 * C + H * T : 0;
  return static_cast<std::uint64_t>(8 * C + 2 * query_key_value + hidden + 2 * H * T + dropped);
}

std::uint64_t embedding_and_logits_floats(const ModelConfig& config) {
  return static_cast<std::uint64_t>(config.width + 3 * config.vocabulary_size);
}

std::uint64_t activation_bytes(const ModelConfig& config, const TrainOptions& options) {
  const auto tokens = static_cast<std::uint64_t>(config.context);
  const std::uint64_t once = embedding_and_logits_floats(config), layer = layer_floats(config);
  const std::uint64_t rows = options.batch / options.accumulate;
  const std::uint64_t training = rows * tokens * (static_cast<std::uint64_t>(config.layers) * layer + once);
  const std::uint64_t evaluation = evaluation_rows(config) * tokens * (layer + once);
  return kFloatBytes * std::max(training, evaluation);
}

}  // namespace

MemoryPlan plan_memory(const ModelConfig& config, const TrainOptions& options) {
  const auto parameters = static_cast<std::uint64_t>(config.parameter_count());
  const OptimizerSize optimizer = optimizer_size(options, config);
  return {kFloatBytes * parameters, kFloatBytes * parameters,
          kFloatBytes * (optimizer.state_floats + optimizer.work_floats), activation_bytes(config, options)};
}

std::uint64_t checkpoint_bytes(const ModelConfig& config, const TrainOptions& options) {
  const auto parameters = static_cast<std::uint64_t>(config.parameter_count());
  return kFloatBytes * (parameters + optimizer_size(options, config).state_floats) + kFileOverhead;
}

std::uint64_t checkpoints_bytes(const ModelConfig& config, const TrainOptions& options) {
  const auto times = [&](std::int64_t every) { return every > 0 ? options.steps / every : 0; };
  const std::int64_t all = times(options.save_every) + times(options.eval_every) + 1;  // 1 when it ends
  const std::int64_t kept = options.keep > 0 ? std::min(all, options.keep + 1) : all;  // 1 for the best
  return checkpoint_bytes(config, options) * static_cast<std::uint64_t>(kept + 1);     // 1 while it is written
}

void require_memory(const MemoryPlan& plan, std::uint64_t available_bytes) {
  if (plan.total_bytes() <= available_bytes) return;
  const std::uint64_t model_bytes = plan.total_bytes() - plan.activations_bytes;
  const bool batch_is_larger = plan.activations_bytes > model_bytes;
  throw MemoryError(
      "training needs about " + human_bytes(plan.total_bytes()) + " of memory (" + human_bytes(model_bytes) +
      " for weights, gradients and optimizer, " + human_bytes(plan.activations_bytes) +
      " for a micro-batch), but only " + human_bytes(available_bytes) + " are available; " +
      (batch_is_larger ? "raise --accumulate, or lower --batch or --context" : "lower --width or --layers"));
}

void require_disk(std::uint64_t needed_bytes, std::uint64_t free_bytes, const std::filesystem::path& folder) {
  if (needed_bytes <= free_bytes) return;
  throw FileError("the checkpoints need about " + human_bytes(needed_bytes) + " at " + folder.string() + ", but only " +
                  human_bytes(free_bytes) + " are free there; choose another disk with --out, or lower --keep");
}

}  // namespace tinylm
