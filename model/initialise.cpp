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

double deviation_of(std::string_view name, const ModelConfig& config) {
  const std::string_view logit_matrix = config.tied_embeddings ? "token_embedding.weight" : "output.weight";
  if (name == logit_matrix)
    return std::min(kMatrixDeviation, kLogitDeviation / std::sqrt(static_cast<double>(config.width)));
  const bool ends_in_residual =
      name.ends_with("attention.projection.weight") || name.ends_with("feed_forward.contract.weight");
  return ends_in_residual ? kMatrixDeviation / std::sqrt(2.0 * static_cast<double>(config.layers)) : kMatrixDeviation;
}

}  // namespace

void initialise(torch::nn::Module& model, const ModelConfig& config, std::uint64_t seed) {
  const torch::NoGradGuard no_gradient;
  const Philox philox(seed, Purpose::kInitialisation);
  std::uint64_t index = 0;
  for (auto& parameter : model.named_parameters()) {
    if (parameter.value().dim() >= 2)
      fill_normal(parameter.value(), deviation_of(parameter.key(), config), philox, index);
    ++index;
  }
}

}  // namespace tinylm
