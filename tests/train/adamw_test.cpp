#include "train/optim/adamw.h"

#include <gtest/gtest.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adamw.h>

#include <cmath>

#include "core/errors.h"
#include "model/model.h"
#include "random_parameters.h"
#include "train/finite.h"
#include "train_test_support.h"

namespace tinylm {
namespace {

/// A module with one decayed matrix and one vector, named as in a model.
struct TwoParametersImpl : torch::nn::Module {
  TwoParametersImpl() {
    auto block = std::make_shared<torch::nn::Module>();
    matrix = block->register_parameter("weight", torch::tensor({{0.5F, -0.25F}}));
    vector = block->register_parameter("norm", torch::tensor({1.0F}));
    auto blocks = std::make_shared<torch::nn::Module>();
    blocks->register_module("0", block);
    register_module("blocks", blocks);
  }
  torch::Tensor matrix, vector;
};
TORCH_MODULE(TwoParameters);

TEST(AdamW, TakesTheStepsOfTheAlgorithm) {
  TwoParameters module;
  const AdamWOptions options{.beta1 = 0.9, .beta2 = 0.99, .epsilon = 1e-8, .weight_decay = 0.1};
  AdamW adamw(*module, options);
  // Algorithm 2 of the paper, followed in double for the first weight: gradients 0.2, then -0.4 scaled by 0.5.
  const double rate[] = {0.01, 0.02}, gradient[] = {0.2, -0.4}, scale[] = {1.0, 0.5};
  double weight = 0.5, mean = 0.0, mean_square = 0.0;
  for (int t = 1; t <= 2; ++t) {
    const double g = gradient[t - 1] * scale[t - 1];
    mean = 0.9 * mean + 0.1 * g;
    mean_square = 0.99 * mean_square + 0.01 * g * g;
    const double corrected_mean = mean / (1.0 - std::pow(0.9, t)),
                 corrected_square = mean_square / (1.0 - std::pow(0.99, t));
    weight -= rate[t - 1] * (corrected_mean / (std::sqrt(corrected_square) + 1e-8) + 0.1 * weight);
    module->matrix.mutable_grad() = torch::tensor({{static_cast<float>(gradient[t - 1]), 0.0F}});
    module->vector.mutable_grad() = torch::tensor({0.0F});
    adamw.step(t, rate[t - 1], scale[t - 1]);
  }
  const float* matrix = module->matrix.data_ptr<float>();
  EXPECT_NEAR(matrix[0], weight, 1e-7);
  EXPECT_NEAR(matrix[1], -0.25 * (1.0 - 0.01 * 0.1) * (1.0 - 0.02 * 0.1), 1e-7);  // no gradient: decay alone
  EXPECT_EQ(module->vector.item<float>(), 1.0F);                                  // not decayed
}

TEST(AdamW, RaisesTheVersionOfWhatItChanges) {
  TwoParameters module;
  AdamW adamw(*module, {});
  module->matrix.mutable_grad() = torch::ones_like(module->matrix);
  const auto before = module->matrix._version();
  adamw.step(1, 0.1, 1.0);
  EXPECT_GT(module->matrix._version(), before);
}

TEST(AdamW, AgreesWithLibtorch) {
  ModelConfig config = small_model();
  config.bias = true;
  LanguageModel ours(config, 3), theirs(config, 3);
  const AdamWOptions options{.beta1 = 0.8, .beta2 = 0.95, .weight_decay = 0.3};
  AdamW adamw(*ours, options);
  const auto libtorch_options = [&](double weight_decay) {
    return std::make_unique<torch::optim::AdamWOptions>(
        torch::optim::AdamWOptions(1e-2).betas({0.8, 0.95}).eps(1e-8).weight_decay(weight_decay));
  };
  std::vector<torch::Tensor> decayed, others;
  for (const auto& [name, tensor] : parameters_of(*theirs)) {
    (name.rfind("blocks.", 0) == 0 && tensor.dim() == 2 ? decayed : others).push_back(tensor);
  }
  torch::optim::AdamW reference({torch::optim::OptimizerParamGroup(decayed, libtorch_options(0.3)),
                                 torch::optim::OptimizerParamGroup(others, libtorch_options(0.0))},
                                torch::optim::AdamWOptions(1e-2));
  torch::manual_seed(1);
  for (int step = 1; step <= 10; ++step) {
    const auto our = ours->parameters(), their = theirs->parameters();
    for (std::size_t i = 0; i < our.size(); ++i) {
      their[i].mutable_grad() = torch::randn_like(their[i]);
      our[i].mutable_grad() = their[i].grad() * 4.0;
    }
    adamw.step(step, 1e-2, 0.25);  // scaled by a power of two: exactly the same gradients
    reference.step();
  }
  const NamedTensors our = parameters_of(*ours), their = parameters_of(*theirs);
  for (std::size_t i = 0; i < our.size(); ++i) {
    EXPECT_TRUE(torch::allclose(our[i].second, their[i].second, 1e-5, 1e-6)) << our[i].first;
  }
}

/// torch::optim::AdamW on copies in float64, with torch::nn::utils::clip_grad_norm_ before it.
class ReferenceAdamW {
 public:
  ReferenceAdamW(const torch::nn::Module& module, const AdamWOptions& options) {
    std::vector<torch::Tensor> decayed, others;
    const ParameterList parameters(module);
    for (const Parameter& parameter : parameters.all()) {
      all.push_back(parameter.value.detach().to(torch::kFloat64).requires_grad_(true));
      (parameter.is_block_matrix ? decayed : others).push_back(all.back());
    }
    for (const auto& [group, decay] : {std::pair(decayed, options.weight_decay), std::pair(others, 0.0)}) {
      auto chosen = std::make_unique<torch::optim::AdamWOptions>(1e-3);
      chosen->betas({options.beta1, options.beta2}).eps(options.epsilon).weight_decay(decay);
      groups_.emplace_back(group, std::move(chosen));
    }
    adamw_ = std::make_unique<torch::optim::AdamW>(groups_, torch::optim::AdamWOptions(1e-3));
  }
  /// Returns the norm before clipping to `clip`.
  double step(double rate, double clip) {
    const double norm = torch::nn::utils::clip_grad_norm_(all, clip);
    for (auto& group : adamw_->param_groups()) group.options().set_lr(rate);
    adamw_->step();
    return norm;
  }

  std::vector<torch::Tensor> all;  // in the module's order

 private:
  std::vector<torch::optim::OptimizerParamGroup> groups_;
  std::unique_ptr<torch::optim::AdamW> adamw_;
};

/// Some clipped steps of a random set of parameters; how many parameters there were.
std::int64_t compare_with_libtorch(testing::Draw& draw) {
  const RandomParameters module(draw);
  const AdamWOptions options{.beta1 = draw.coin() ? 0.9 : 0.7,
                             .beta2 = draw.coin() ? 0.95 : 0.99,
                             .epsilon = draw.coin() ? 1e-8 : 1e-4,
                             .weight_decay = draw.coin() ? 0.0 : 0.3};
  AdamW adamw(module, options);
  ReferenceAdamW reference(module, options);
  std::vector<torch::Tensor> ours = module.parameters();
  const double clip = draw.coin() ? 1e9 : 0.5;
  std::vector<bool> learns;
  for (std::size_t i = 0; i < ours.size(); ++i) learns.push_back(i == 0 || draw.between(0, 9) != 0);
  for (std::int64_t step = 1; step <= 4; ++step) {
    const double rate = 0.01 * static_cast<double>(draw.between(1, 3)), size = draw.coin() ? 3.0 : 0.5;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      if (!learns[i]) continue;
      ours[i].mutable_grad() = random_gradient(draw, ours[i]) * size;
      reference.all[i].mutable_grad() = ours[i].grad().to(torch::kFloat64).contiguous();
    }
    const double norm = adamw.gradient_norm();
    EXPECT_NEAR(reference.step(rate, clip) / norm, 1.0, 1e-12);
    adamw.step(step, rate, clipping_scale(norm, clip));
  }
  for (std::size_t i = 0; i < ours.size(); ++i)
    EXPECT_TRUE(testing::tensors_close(ours[i].detach().to(torch::kFloat64), reference.all[i].detach(), 1e-6, 1e-6))
        << "parameter " << i;
  return static_cast<std::int64_t>(ours.size());
}

TEST(AdamW, AgreesWithLibtorchForManyShapesAtEachInstructionSet) {
  testing::at_each_instruction_set([] {
    torch::manual_seed(3);
    testing::Draw draw(3);
    std::int64_t shapes = 0;
    for (int i = 0; i < 70; ++i) shapes += compare_with_libtorch(draw);
    EXPECT_GE(shapes, 200);
  });
}

TEST(AdamW, LeavesParametersWithoutGradient) {
  TwoParameters module;
  AdamW adamw(*module, {});
  module->vector.mutable_grad() = torch::tensor({1.0F});
  adamw.step(1, 0.1, 1.0);
  EXPECT_EQ(module->matrix[0][0].item<float>(), 0.5F);
  EXPECT_NEAR(module->vector.item<float>(), 0.9F, 1e-6F);  // the first step has the size of the rate
}

class SavedAdamW : public TrainingTest {};

TEST_F(SavedAdamW, GoesOnBitForBit) {
  TwoParameters first, second;
  AdamW saved(*first, {}), loaded(*second, {});
  const auto step = [](TwoParameters& module, AdamW& adamw, int t) {
    module->matrix.mutable_grad() = torch::tensor({{0.1F * static_cast<float>(t), -0.7F}});
    module->vector.mutable_grad() = torch::tensor({0.3F});
    adamw.step(t, 0.01, 0.9);
  };
  step(first, saved, 1);
  write_safetensors(folder_ / "model.safetensors", parameters_of(*first), {});
  write_safetensors(folder_ / "optimizer.safetensors", saved.state(), {});
  load_parameters(*second, SafetensorsFile(folder_ / "model.safetensors"));
  loaded.load_state(SafetensorsFile(folder_ / "optimizer.safetensors"));
  step(first, saved, 2);
  step(second, loaded, 2);
  EXPECT_TRUE(torch::equal(first->matrix, second->matrix));
  EXPECT_TRUE(torch::equal(first->vector, second->vector));
}

TEST_F(SavedAdamW, RefusesAStateOfOtherParameters) {
  TwoParameters module;
  AdamW adamw(*module, {});
  NamedTensors state = adamw.state();
  state.pop_back();
  state[0].second = torch::zeros({3});
  write_safetensors(folder_ / "optimizer.safetensors", state, {});
  const std::string message =
      test::message_of<FileError>([&] { adamw.load_state(SafetensorsFile(folder_ / "optimizer.safetensors")); });
  expect_contains(message, "mean.blocks.0.weight has shape [3], the optimizer needs [1, 2]");
  expect_contains(message, "mean_square.blocks.0.norm is missing");
}

}  // namespace
}  // namespace tinylm
