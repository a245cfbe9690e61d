#include "model/initialise.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/parallel.h"
#include "core/philox.h"

namespace tinylm {
namespace {

void fill_normal(torch::Tensor& parameter, double deviation, const Philox& philox, std::uint64_t index) {
  float* values = parameter.data_ptr<float>();
  const std::int64_t count = parameter.numel();
  parallel_for(0, (count + 1) / 2, 4096, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t pair = first; pair < last; ++pair) {
      const auto drawn = philox.normal_pair(index, static_cast<std::uint64_t>(pair));
      values[2 * pair] = static_cast<float>(deviation * drawn[0]);
      if (2 * pair + 1 < count) values[2 * pair + 1] = static_cast<float>(deviation * drawn[1]);
    }
  });
}

bool ends_in_residual(std::string_view name) {
  return name.ends_with("attention.projection.weight") || name.ends_with("feed_forward.contract.weight");
}

double gpt2_deviation(std::string_view name, const torch::Tensor&, const ModelConfig& config) {
  constexpr double kDeviation = 0.02;
  return ends_in_residual(name) ? kDeviation / std::sqrt(2.0 * static_cast<double>(config.layers)) : kDeviation;
}

double zero_residual_deviation(std::string_view name, const torch::Tensor& matrix, const ModelConfig&) {
  constexpr double kGain = 0.6, kEmbeddingDeviation = 0.1;
  if (ends_in_residual(name)) return 0.0;
  return name.starts_with("blocks.") ? kGain / std::sqrt(static_cast<double>(matrix.size(1))) : kEmbeddingDeviation;
}

double deviation_of(std::string_view name, const torch::Tensor& matrix, const ModelConfig& config) {
  const bool is_gpt2 = config.initialisation == InitialisationKind::kGpt2;
  const double deviation = (is_gpt2 ? gpt2_deviation : zero_residual_deviation)(name, matrix, config);
  const bool gives_logits = name == (config.tied_embeddings ? "token_embedding.weight" : "output.weight");
  return gives_logits ? std::min(deviation, kLogitDeviation / std::sqrt(static_cast<double>(config.width))) : deviation;
}

}  // namespace

void initialise(torch::nn::Module& model, const ModelConfig& config, std::uint64_t seed) {
  const torch::NoGradGuard no_gradient;
  const Philox philox(seed, Purpose::kInitialisation);
  std::uint64_t index = 0;
  for (auto& parameter : model.named_parameters()) {
    if (parameter.value().dim() >= 2)
      fill_normal(parameter.value(), deviation_of(parameter.key(), parameter.value(), config), philox, index);
    ++index;
  }
}

}  // namespace tinylm
