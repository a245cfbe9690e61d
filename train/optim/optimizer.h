// Optimizers, one file each beside this one, and the table that names them.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <string>
#include <vector>

#include "run/safetensors.h"
#include "train/options.h"

namespace tinylm {

/// Changes parameters by their gradients. State is float32 and can be saved and restored bit for bit.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// Applies the gradients, scaled by `gradient_scale` (clipping), at `learning_rate`; `step` counts from 1.
  virtual void step(std::int64_t step, double learning_rate, double gradient_scale) = 0;
  virtual void zero_gradients() = 0;
  /// Norm of all gradients together.
  virtual double gradient_norm() const = 0;
  virtual NamedTensors state() const = 0;
  /// Throws FileError when a tensor is missing or of another shape.
  virtual void load_state(const SafetensorsFile& file) = 0;
  /// Groups and counts of parameters, for people: "decayed: 16 tensors, 786,432 parameters; ...".
  virtual std::string describe_groups() const = 0;
};

std::vector<std::string> optimizer_names();
std::unique_ptr<Optimizer> make_optimizer(const TrainOptions& options, torch::nn::Module& model);

}  // namespace tinylm
