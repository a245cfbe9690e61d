// A step of generation: the next token's logits of one text, and of 32 together, whose caches are half full.
#include "bench/operations/support.h"
#include "model/model.h"

namespace tinylm::bench {
namespace {

ModelConfig generation_config(const Sizes& s) {
  ModelConfig config;
  config.vocabulary_size = s.V;
  config.context = s.T;
  config.heads = s.H;
  config.width = s.C;
  return config;
}

/// Two operations for each weight and text, and four for each number of the keys; the weights are read once, keys and
/// values once for each text.
Work work_of(const ModelConfig& config, std::int64_t texts, std::int64_t length) {
  const auto weights = static_cast<double>(config.block_matrix_parameters() + config.vocabulary_size * config.width);
  const auto keys = static_cast<double>(config.layers * (length + 1) * config.width);
  const auto B = static_cast<double>(texts);
  return {B * (2.0 * weights + 4.0 * keys), 4.0 * (weights + 2.0 * B * keys)};
}

void generation_step(benchmark::State& state, std::int64_t texts) {
  const Sizes& s = sizes_of(state);
  const torch::NoGradGuard no_gradient;
  LanguageModel model(generation_config(s), 1, ops_of(state));
  const std::int64_t length = s.T / 2;
  KvCache cache(model->config(), texts, s.T);
  model->forward(torch::randint(s.V, {texts, length}, torch::kInt64), {.cache = &cache, .last_only = true});
  const torch::Tensor ids = torch::randint(s.V, {texts, 1}, torch::kInt64);
  for (auto _ : state) {
    benchmark::DoNotOptimize(model->forward(ids, {.cache = &cache, .last_only = true}));
    cache.advance(-1);
  }
  report(state, work_of(model->config(), texts, length));
}

BENCHMARK_CAPTURE(generation_step, one_text, 1)->Apply(all_sizes);
BENCHMARK_CAPTURE(generation_step, 32_texts, 32)->Apply(all_sizes);

}  // namespace
}  // namespace tinylm::bench
