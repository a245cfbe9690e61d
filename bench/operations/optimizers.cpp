// AdamW over all parameters, against libtorch's; and Muon's orthogonalisation of the matrices of a layer, against the
// same number of Newton-Schulz iterations written in libtorch.
#include <torch/optim/adamw.h>

#include <utility>

#include "bench/operations/support.h"
#include "model/model.h"
#include "train/optim/adamw.h"
#include "train/optim/orthogonalise.h"

namespace tinylm::bench {
namespace {

LanguageModel model_of(const Sizes& s) {
  ModelConfig config;
  config.vocabulary_size = s.V;
  config.context = s.T;
  config.heads = s.H;
  config.width = s.C;
  LanguageModel model(config, 1);
  for (torch::Tensor& parameter : model->parameters()) parameter.mutable_grad() = torch::randn_like(parameter);
  return model;
}

void adamw(benchmark::State& state) {
  const LanguageModel model = model_of(sizes_of(state));
  AdamW ours(*model, {});
  torch::optim::AdamW theirs(model->parameters(), torch::optim::AdamWOptions(1e-3).betas({0.9, 0.99}));
  std::int64_t step = 0;
  for (auto _ : state) {
    if (ops_of(state) == Ops::kAuto) {
      ours.step(++step, 1e-3, 1.0);
    } else {
      theirs.step();
    }
  }
  // Value and both means read and written, gradient read.
  const auto parameters = static_cast<double>(model->config().parameter_count());
  report(state, {12.0 * parameters, 7.0 * 4.0 * parameters});
}

/// The quintic iteration of Jordan et al. ("Muon", 2024), with the coefficients published there.
torch::Tensor newton_schulz(torch::Tensor x, std::int64_t iterations) {
  const bool tall = x.size(0) > x.size(1);
  if (tall) x = x.t();
  for (std::int64_t i = 0; i < iterations; ++i) {
    const torch::Tensor gram = torch::mm(x, x.t());
    x = 3.4445 * x + torch::mm(-4.7750 * gram + 2.0315 * torch::mm(gram, gram), x);
  }
  return tall ? x.t() : x;
}

void orthogonalise(benchmark::State& state) {
  constexpr std::int64_t kIterations = 3;
  const std::int64_t C = sizes_of(state).C;
  std::vector<torch::Tensor> matrices, results;
  std::vector<OrthogonaliserInput> inputs;
  double operations = 0.0;
  for (const auto& [rows, columns] : {std::pair{C, C}, {C, C}, {C, C}, {C, C}, {4 * C, C}, {C, 4 * C}}) {
    const torch::Tensor matrix = torch::randn({rows, columns});
    matrices.push_back(matrix / matrix.norm());
    results.push_back(torch::empty_like(matrix));
    inputs.push_back({matrices.back().data_ptr<float>(), results.back().data_ptr<float>(), rows, columns});
    const auto k = static_cast<double>(C), n = static_cast<double>(rows * columns) / k;
    operations += kIterations * (4.0 * k * k * n + 2.0 * k * k * k);  // as newton_schulz() does them
  }
  const Orthogonaliser ours(kIterations);
  const torch::NoGradGuard no_gradient;
  for (auto _ : state) {
    if (ops_of(state) == Ops::kAuto) {
      ours(inputs);
    } else {
      for (const torch::Tensor& matrix : matrices) benchmark::DoNotOptimize(newton_schulz(matrix, kIterations));
    }
  }
  report(state, {operations, bytes_of(matrices) + bytes_of(results)});
}

BENCHMARK(adamw)->Apply(all_sizes);
BENCHMARK(orthogonalise)->Apply(all_sizes);

}  // namespace
}  // namespace tinylm::bench
