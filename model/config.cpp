#include "model/config.h"

#include <array>
#include <utility>

#include "core/errors.h"
#include "core/numbers.h"
#include "core/option_table.h"
#include "model/ops/activations.h"
#include "model/positions.h"

namespace tinylm {
namespace {

// Limits far above what can be trained, so that sizes computed from the options never overflow.
constexpr std::int64_t kMostTokens = 1 << 20, kMostLayers = 4096, kMostWidth = 1 << 16;

void check_range(Problems& problems, const char* field, std::int64_t value, std::int64_t least, std::int64_t most) {
  problems.require(value >= least && value <= most, std::string(field) + " must be between " + std::to_string(least) +
                                                        " and " + std::to_string(most) + ", found " +
                                                        std::to_string(value));
}

std::vector<std::string> position_names() {
  std::vector<std::string> names;
  for (const PositionKind& kind : position_kinds()) names.push_back(kind.name);
  return names;
}

std::int64_t norm_parameters(const ModelConfig& config) {
  return config.norm == NormKind::kLayerNorm && config.bias ? 2 * config.width : config.width;
}

/// Inputs and outputs of the linear layers of a block.
std::array<std::pair<std::int64_t, std::int64_t>, 4> block_linears(const ModelConfig& config) {
  const std::int64_t C = config.width, F = config.hidden_width();
  const std::int64_t query_key_value = (config.heads + 2 * config.key_value_heads()) * config.head_size();
  return {{{C, query_key_value}, {C, C}, {C, ops::activation_inputs(config.activation) * F}, {F, C}}};
}

std::int64_t block_parameters(const ModelConfig& config) {
  std::int64_t count = 2 * norm_parameters(config) + (config.query_key_norm ? 2 * config.head_size() : 0);
  for (const auto& [inputs, outputs] : block_linears(config)) count += inputs * outputs + (config.bias ? outputs : 0);
  return count;
}

}  // namespace

std::int64_t ModelConfig::hidden_width() const {
  if (feed_forward_width != 0) return feed_forward_width;
  if (activation != ActivationKind::kSwiGlu) return 4 * width;
  return (8 * width + 23) / 24 * 8;  // a third matrix of this width keeps the number of parameters of 4 C
}

void ModelConfig::describe(OptionTable& table) {
  table.add("model", "context", context, "tokens a position can look back on, itself included");
  table.add("model", "layers", layers, "attention blocks");
  table.add("model", "heads", heads, "query heads a block");
  table.add("model", "kv_heads", kv_heads, "key and value heads, a divisor of heads (0: as many as heads)");
  table.add("model", "width", width, "numbers a token is represented by, a multiple of heads");
  table.add("model", "feed_forward_width", feed_forward_width,
            "inner width of the feed-forward layers (0: 4 x width; 8/3 with swiglu)");
  table.add_choice("model", "positions", positions, position_names(), "how the order of tokens is known");
  table.add_choice("model", "attention_mask", attention_mask,
                   {{"causal", MaskKind::kCausal}, {"none", MaskKind::kNone}},
                   "causal hides later tokens; none shows the answer too, an experiment that cannot be sampled from");
  table.add_choice("model", "norm", norm, {{"layernorm", NormKind::kLayerNorm}, {"rmsnorm", NormKind::kRmsNorm}},
                   "normalisation before each layer");
  table.add_choice(
      "model", "activation", activation,
      {{"gelu", ActivationKind::kGelu}, {"relu2", ActivationKind::kSquaredRelu}, {"swiglu", ActivationKind::kSwiGlu}},
      "what stands between the feed-forward products");
  table.add("model", "bias", bias, "biases in linear layers and LayerNorm");
  table.add("model", "tied_embeddings", tied_embeddings, "use the token embedding as output projection too");
  table.add("model", "query_key_norm", query_key_norm, "normalise queries and keys (RMSNorm)");
  table.add("model", "dropout", dropout, "probability of dropping an activation in training (0: off)");
  table.add_choice("model", "initialisation", initialisation,
                   {{"gpt2", InitialisationKind::kGpt2}, {"zero-residual", InitialisationKind::kZeroResidual}},
                   "where the weights start: zero-residual lets each block begin by passing on what it gets");
}

void ModelConfig::validate(Problems& problems) const {
  check_range(problems, "vocabulary_size", vocabulary_size, 1, std::int64_t{1} << 31);
  check_range(problems, "context", context, 1, kMostTokens);
  check_range(problems, "layers", layers, 1, kMostLayers);
  check_range(problems, "heads", heads, 1, kMostWidth);
  check_range(problems, "kv_heads", kv_heads, 0, kMostWidth);
  check_range(problems, "width", width, 1, kMostWidth);
  check_range(problems, "feed_forward_width", feed_forward_width, 0, 16 * kMostWidth);
  problems.require(dropout >= 0.0 && dropout < 1.0,
                   "dropout must be at least 0 and below 1, found " + shortest(dropout));
  const bool heads_fit = heads >= 1 && width >= 1 && width % heads == 0;
  problems.require(heads_fit || heads < 1 || width < 1, "width must be a multiple of heads, found width " +
                                                            std::to_string(width) + " and heads " +
                                                            std::to_string(heads));
  problems.require(heads < 1 || kv_heads < 1 || heads % kv_heads == 0,
                   "heads must be a multiple of kv_heads, found heads " + std::to_string(heads) + " and kv_heads " +
                       std::to_string(kv_heads));
  if (const PositionKind* kind = find_position_kind(positions)) {
    if (heads_fit) kind->validate(*this, problems);
    return;
  }
  std::string known;
  for (const std::string& name : position_names()) known += (known.empty() ? "" : ", ") + name;
  problems.add("positions must be one of " + known + "; found \"" + positions + "\"");
}

std::int64_t ModelConfig::parameter_count() const {
  const PositionKind* kind = find_position_kind(positions);
  return (tied_embeddings ? 1 : 2) * vocabulary_size * width + (kind ? kind->parameter_count(*this) : 0) +
         layers * block_parameters(*this) + norm_parameters(*this);
}

std::int64_t ModelConfig::block_matrix_parameters() const {
  std::int64_t count = 0;
  for (const auto& [inputs, outputs] : block_linears(*this)) count += inputs * outputs;
  return layers * count;
}

}  // namespace tinylm
