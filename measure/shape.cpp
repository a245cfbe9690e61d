#include "measure/shape.h"

namespace tinylm {

std::int64_t multiplied_parameters(const ModelConfig& config) {
  const std::int64_t C = config.width;
  std::int64_t tables = config.tied_embeddings ? 0 : config.vocabulary_size * C;
  if (config.positions == "learned") tables += config.context * C;
  return config.parameter_count() - tables;
}

double training_flops_per_token(const ModelConfig& config) {
  const auto N = static_cast<double>(multiplied_parameters(config));
  return 6.0 * N + 12.0 * static_cast<double>(config.layers * config.width * config.context);
}

}  // namespace tinylm
