#include "inspect/output_weights.h"

#include <spdlog/fmt/fmt.h>

#include "model/ops/linear.h"
#include "model/ops/norms.h"

namespace tinylm {
namespace {

/// Undefined where the model has no such parameter.
torch::Tensor parameter_named(const torch::OrderedDict<std::string, torch::Tensor>& parameters,
                              const std::string& name) {
  const torch::Tensor* found = parameters.find(name);
  return found ? found->detach() : torch::Tensor();
}

}  // namespace

OutputWeights::OutputWeights(const LanguageModel& model)
    : config_(model->config()),
      parameters_(model->named_parameters()),
      embedding_(parameter_named(parameters_, "token_embedding.weight")),
      norm_weight_(parameter_named(parameters_, "final_norm.weight")),
      norm_bias_(parameter_named(parameters_, "final_norm.bias")),
      output_(model->output_weight().detach()) {}

torch::Tensor OutputWeights::of_heads(std::int64_t layer) const {
  const torch::Tensor joined =
      parameter_named(parameters_, fmt::format("blocks.{}.attention.projection.weight", layer));  // [C, H D]
  return joined.t().view({config_.heads, config_.head_size(), config_.width});
}

torch::Tensor OutputWeights::head_bias(std::int64_t layer) const {
  return parameter_named(parameters_, fmt::format("blocks.{}.attention.projection.bias", layer));
}

torch::Tensor OutputWeights::logits(const torch::Tensor& x, Ops ops) const {
  return ops::linear(ops::norm(config_.norm, x, norm_weight_, norm_bias_, ops), output_, {}, ops);
}

}  // namespace tinylm
