#include "inspect/ablation.h"

#include <algorithm>
#include <limits>

#include "core/errors.h"
#include "model/ops/projected_loss.h"

namespace tinylm {
namespace {

constexpr std::int64_t kTokensAtATime = 4096;  // of all texts side by side: the fast operations gain nothing from more

/// The residual stream after the attention of a layer, unchanged in row 0 and with one head exchanged in each other.
class Variants {
 public:
  Variants(const TracedText& traced, std::int64_t layer)
      : traced_(traced),
        layer_(layer),
        stream_(traced.trace.after_attention[static_cast<std::size_t>(layer)].squeeze(0)),  // [T, C]
        outputs_(traced.head_outputs(layer)) {
    rows_.push_back(stream_);
  }

  void add(std::int64_t head, bool by_mean) {
    const torch::Tensor without = stream_ - outputs_[head];
    rows_.push_back(by_mean ? without + outputs_[head].mean(0, /*keepdim=*/true) : without);
  }
  std::size_t size() const { return rows_.size(); }

  /// Losses of each row but the first less those of the first, so that both come from the same operations: [rows, T-1].
  torch::Tensor changes() const {
    const std::int64_t T = stream_.size(0), R = static_cast<std::int64_t>(rows_.size());
    const torch::Tensor hidden = traced_.loaded.model->hidden_after_attention(torch::stack(rows_), layer_);
    const torch::Tensor losses = ops::projected_loss(
        hidden.slice(1, 0, T - 1).contiguous(), traced_.loaded.model->output_weight(),
        traced_.targets().expand({R, T - 1}).contiguous(), traced_.loaded.model->ops(), ops::LossReduction::kNone);
    return losses.slice(0, 1) - losses.slice(0, 0, 1);
  }

 private:
  const TracedText& traced_;
  std::int64_t layer_;
  torch::Tensor stream_, outputs_;
  std::vector<torch::Tensor> rows_;
};

std::vector<std::int64_t> heads_in_layer(const std::vector<HeadPlace>& which, std::int64_t layer) {
  std::vector<std::int64_t> heads;
  for (const HeadPlace& place : which)
    if (place.layer == layer) heads.push_back(place.head);
  return heads;
}

}  // namespace

Ablation ablate(const TracedText& traced, const std::vector<HeadPlace>& which) {
  const ModelConfig& config = traced.config();
  if (config.attention_mask == MaskKind::kNone)
    throw WrongUse(
        "a model with attention_mask none sees the tokens it is asked to predict: its losses say nothing "
        "about a head");
  const torch::NoGradGuard no_gradient;
  const std::int64_t T = traced.text.tokens();
  const torch::Tensor missing = torch::full({config.layers, config.heads, T}, std::numeric_limits<float>::quiet_NaN());
  Ablation result{missing, missing.clone()};
  if (T < 2) return result;
  const auto at_a_time = static_cast<std::size_t>(std::max<std::int64_t>(1, kTokensAtATime / T / 2));
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    const std::vector<std::int64_t> heads = heads_in_layer(which, layer);
    for (std::size_t first = 0; first < heads.size(); first += at_a_time) {
      const std::size_t last = std::min(heads.size(), first + at_a_time);
      Variants variants(traced, layer);
      for (std::size_t i = first; i < last; ++i)
        for (const bool by_mean : {false, true}) variants.add(heads[i], by_mean);
      const torch::Tensor changes = variants.changes();
      for (std::size_t i = first; i < last; ++i) {
        const auto row = static_cast<std::int64_t>(2 * (i - first));
        result.zero[layer][heads[i]].slice(0, 1).copy_(changes[row]);
        result.mean[layer][heads[i]].slice(0, 1).copy_(changes[row + 1]);
      }
    }
  }
  return result;
}

double ablation_operations(const ModelConfig& config, std::int64_t T, const std::vector<HeadPlace>& which) {
  const double in_a_block = static_cast<double>(config.block_matrix_parameters()) / static_cast<double>(config.layers);
  constexpr double kOfSoftmax = 20.0;  // operations for a weight
  const double in_attention =  // a layer and token: the products of queries, keys and values, half of them hidden
      static_cast<double>(T) *
      (static_cast<double>(config.width) + kOfSoftmax / 4.0 * static_cast<double>(config.heads));
  double weights = 0.0;
  for (const HeadPlace& place : which)
    weights += static_cast<double>(config.layers - place.layer) * (in_a_block + in_attention) +
               static_cast<double>(config.vocabulary_size * config.width);
  return 2.0 * 2.0 * weights * static_cast<double>(T);  // zero and mean; a multiplication and an addition
}

std::vector<HeadPlace> places_of(const HeadSelection& selection) {
  std::vector<HeadPlace> places;
  for (const std::int64_t layer : selection.layers)
    for (const std::int64_t head : selection.heads) places.push_back({layer, head});
  return places;
}

}  // namespace tinylm
