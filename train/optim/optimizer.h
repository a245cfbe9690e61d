// Optimizers, one file each beside this one, and the table that names them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/torch.h"
#include "model/model.h"
#include "run/safetensors.h"
#include "train/optim/parameters.h"
#include "train/options.h"

namespace tinylm {

/// Changes parameters by their gradients. State is float32 and can be saved and restored bit for bit.
class Optimizer {
 public:
  explicit Optimizer(const torch::nn::Module& model) : parameters_(model) {}
  virtual ~Optimizer() = default;

  /// Applies the gradients, scaled by `gradient_scale` (clipping), at `learning_rate`; `step` counts from 1.
  virtual void step(std::int64_t step, double learning_rate, double gradient_scale) = 0;
  /// Tensors that share memory with the state, under names of their own.
  virtual NamedTensors state() const = 0;

  /// Copies a saved state back. Throws FileError naming all that is missing or of another shape.
  void load_state(const SafetensorsFile& file) { load_tensors(state(), file, "the optimizer"); }
  void zero_gradients() { parameters_.zero_gradients(); }
  /// Norm of all gradients together.
  double gradient_norm() const { return parameters_.gradient_norm(); }
  /// Groups and counts of parameters, for people.
  virtual std::string describe_groups() const = 0;

 protected:
  const ParameterList& parameters() const { return parameters_; }

 private:
  ParameterList parameters_;
};

std::vector<std::string> optimizer_names();
/// The optimizer that options.optimizer names, over all parameters of `model`.
std::unique_ptr<Optimizer> make_optimizer(const TrainOptions& options, const LanguageModelImpl& model);

/// Memory of an optimizer, float32 numbers for a model of this configuration.
struct OptimizerSize {
  std::uint64_t state_floats = 0;  // kept from step to step, and saved
  std::uint64_t work_floats = 0;   // besides
};
OptimizerSize optimizer_size(const TrainOptions& options, const ModelConfig& config);

}  // namespace tinylm
