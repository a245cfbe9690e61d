#include "train/optim/optimizer.h"

#include <stdexcept>

#include "train/optim/adamw.h"
#include "train/optim/muon.h"

namespace tinylm {
namespace {

struct NamedOptimizer {
  const char* name;
  std::unique_ptr<Optimizer> (*make)(const TrainOptions& options, const LanguageModelImpl& model);
  OptimizerSize (*size)(std::uint64_t matrix_parameters, std::uint64_t other_parameters);
};

AdamWOptions adamw_options(const TrainOptions& options) {
  return {.beta1 = options.beta1, .beta2 = options.beta2, .weight_decay = options.weight_decay};
}

std::unique_ptr<Optimizer> make_adamw(const TrainOptions& options, const LanguageModelImpl& model) {
  return std::make_unique<AdamW>(model, adamw_options(options));
}
/// Two means.
OptimizerSize adamw_size(std::uint64_t matrices, std::uint64_t others) {
  return {.state_floats = 2 * (matrices + others)};
}

std::unique_ptr<Optimizer> make_muon(const TrainOptions& options, const LanguageModelImpl& model) {
  return std::make_unique<Muon>(model, model.config(),
                                MuonOptions{.rate_factor = options.muon_learning_rate / options.learning_rate,
                                            .momentum = options.muon_momentum,
                                            .iterations = options.muon_iterations,
                                            .weight_decay = options.weight_decay,
                                            .adamw = adamw_options(options)});
}
/// The momentum of matrices and AdamW's two means of the rest; beside them each matrix before and after it is made
/// orthogonal. (A thread's few Gram matrices are left out.)
OptimizerSize muon_size(std::uint64_t matrices, std::uint64_t others) {
  return {.state_floats = matrices + 2 * others, .work_floats = 2 * matrices};
}

constexpr NamedOptimizer kOptimizers[] = {{"adamw", make_adamw, adamw_size}, {"muon", make_muon, muon_size}};

const NamedOptimizer& find_optimizer(const std::string& name) {
  for (const auto& optimizer : kOptimizers) {
    if (name == optimizer.name) return optimizer;
  }
  throw std::invalid_argument("unknown optimizer " + name);  // validate() names the known ones
}

}  // namespace

std::vector<std::string> optimizer_names() {
  std::vector<std::string> names;
  for (const auto& optimizer : kOptimizers) names.emplace_back(optimizer.name);
  return names;
}

std::unique_ptr<Optimizer> make_optimizer(const TrainOptions& options, const LanguageModelImpl& model) {
  return find_optimizer(options.optimizer).make(options, model);
}

OptimizerSize optimizer_size(const TrainOptions& options, const ModelConfig& config) {
  const std::int64_t matrices = config.block_matrix_parameters();
  return find_optimizer(options.optimizer)
      .size(static_cast<std::uint64_t>(matrices), static_cast<std::uint64_t>(config.parameter_count() - matrices));
}

}  // namespace tinylm
