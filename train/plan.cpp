#include "train/plan.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/errors.h"
#include "core/numbers.h"
#include "model/ops/linear_products.h"
#include "model/ops/projected_loss.h"
#include "train/evaluate.h"
#include "train/optim/optimizer.h"

namespace tinylm {
namespace {

constexpr std::uint64_t kFloatBytes = 4;
constexpr std::uint64_t kFileOverhead = 64 * 1024;  // headers and state.json of a checkpoint

/// Floats that are held for a number of tokens: of one layer, and besides the layers.
struct ActivationFloats {
  std::uint64_t layer = 0, once = 0;
};

std::int64_t expanded_width(const ModelConfig& config) {
  return config.hidden_width() * (config.activation == ActivationKind::kSwiGlu ? 2 : 1);
}

ActivationFloats plain_floats(const ModelConfig& config, std::int64_t tokens) {
  const std::int64_t C = config.width, H = config.heads, T = config.context;
  const std::int64_t query_key_value = C + 2 * config.key_value_heads() * config.head_size();
  const std::int64_t hidden = expanded_width(config) + config.hidden_width();
  const std::int64_t dropped = config.dropout > 0.0 ? 2 * C + H * T : 0;
  return {static_cast<std::uint64_t>(tokens * (8 * C + 2 * query_key_value + hidden + 3 * H * T + dropped)),
          static_cast<std::uint64_t>(tokens * (C + 3 * config.vocabulary_size + expanded_width(config) + 2 * H * T))};
}

/// Bytes of the copies of weights that bfloat16 products read (ops/weight_copies.h): one, or three where they are
/// packed.
std::uint64_t copied_weights_bytes(const ModelConfig& config, Ops ops) {
  if (ops != Ops::kBfloat16) return 0;
  const std::uint64_t copies = ops::weight_layout() == ops::WeightLayout::kPacked ? 3 : 1;
  return 2 * copies *
         static_cast<std::uint64_t>(config.block_matrix_parameters() + config.vocabulary_size * config.width);
}

/// Floats that would take the rounded gradients of logits; other rounded rows take the place of larger ones.
std::uint64_t rounded_floats(const ModelConfig& config, std::int64_t tokens) {
  const std::int64_t V = config.vocabulary_size;
  return static_cast<std::uint64_t>(std::min(tokens, ops::logit_rows_at_a_time(V)) * V) / 2;
}

ActivationFloats fused_floats(const ModelConfig& config, std::int64_t tokens) {
  const std::int64_t C = config.width, E = expanded_width(config), F = config.hidden_width();
  const std::int64_t key_value = 2 * config.key_value_heads() * config.head_size();
  const std::int64_t logits =
      std::min(tokens, ops::logit_rows_at_a_time(config.vocabulary_size)) * config.vocabulary_size;
  const std::int64_t working = tokens * (2 * C + F + std::max(E, F));
  return {static_cast<std::uint64_t>(tokens * (4 * C + key_value + E + 2 * config.heads + 4)),
          static_cast<std::uint64_t>(tokens * 6 * C + std::max(working, logits))};
}

std::uint64_t activation_bytes(const ModelConfig& config, const TrainOptions& options, Ops ops) {
  const auto floats = ops == Ops::kPlain ? plain_floats : fused_floats;
  const ActivationFloats training = floats(config, options.batch / options.accumulate * config.context);
  const ActivationFloats evaluation = floats(config, evaluation_rows(config) * config.context);
  const std::uint64_t rounded =
      ops == Ops::kBfloat16 ? rounded_floats(config, options.batch / options.accumulate * config.context) : 0;
  return kFloatBytes * std::max(static_cast<std::uint64_t>(config.layers) * training.layer + training.once + rounded,
                                evaluation.layer + evaluation.once);
}

}  // namespace

MemoryPlan plan_memory(const ModelConfig& config, const TrainOptions& options, Ops ops) {
  const auto parameters = static_cast<std::uint64_t>(config.parameter_count());
  const OptimizerSize optimizer = optimizer_size(options, config);
  return {kFloatBytes * parameters + copied_weights_bytes(config, ops), kFloatBytes * parameters,
          kFloatBytes * (optimizer.state_floats + optimizer.work_floats), activation_bytes(config, options, ops)};
}

std::uint64_t checkpoint_bytes(const ModelConfig& config, const TrainOptions& options) {
  const auto parameters = static_cast<std::uint64_t>(config.parameter_count());
  return kFloatBytes * (parameters + optimizer_size(options, config).state_floats) + kFileOverhead;
}

std::uint64_t checkpoints_bytes(const ModelConfig& config, const TrainOptions& options, std::int64_t step,
                                std::int64_t saved) {
  const auto times = [&](std::int64_t every) {
    return every > 0 ? std::max<std::int64_t>(0, options.steps / every - step / every) : 0;
  };
  const std::int64_t all = saved + times(options.save_every) + times(options.eval_every) + 1;  // 1 when it ends
  const std::int64_t kept = options.keep > 0 ? std::min(all, options.keep + 1) : all;          // 1 for the best
  const std::int64_t more = std::max<std::int64_t>(1, kept + 1 - saved);                       // 1 while it is written
  return checkpoint_bytes(config, options) * static_cast<std::uint64_t>(more);
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
