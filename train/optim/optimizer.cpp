#include "train/optim/optimizer.h"

#include <stdexcept>

#include "train/optim/adamw.h"

namespace tinylm {
namespace {

struct NamedOptimizer {
  const char* name;
  std::unique_ptr<Optimizer> (*make)(const TrainOptions& options, const torch::nn::Module& model);
};

std::unique_ptr<Optimizer> make_adamw(const TrainOptions& options, const torch::nn::Module& model) {
  return std::make_unique<AdamW>(
      model, AdamWOptions{.beta1 = options.beta1, .beta2 = options.beta2, .weight_decay = options.weight_decay});
}

constexpr NamedOptimizer kOptimizers[] = {{"adamw", make_adamw}};

}  // namespace

std::vector<std::string> optimizer_names() {
  std::vector<std::string> names;
  for (const auto& optimizer : kOptimizers) names.emplace_back(optimizer.name);
  return names;
}

std::unique_ptr<Optimizer> make_optimizer(const TrainOptions& options, const torch::nn::Module& model) {
  for (const auto& optimizer : kOptimizers) {
    if (options.optimizer == optimizer.name) return optimizer.make(options, model);
  }
  throw std::invalid_argument("unknown optimizer " + options.optimizer);  // validate() names the known ones
}

}  // namespace tinylm
