#include "train/optim/parameters.h"

#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>

#include <omp.h>

#include "model/model.h"
#include "random_parameters.h"
#include "train_test_support.h"

namespace tinylm {
namespace {

/// Modules with a gradient in every parameter.
torch::nn::Linear linear_with_gradients(std::int64_t inputs, std::int64_t outputs) {
  torch::nn::Linear linear(inputs, outputs);
  for (auto& parameter : linear->parameters()) parameter.mutable_grad() = torch::randn_like(parameter);
  return linear;
}

TEST(ParameterList, DecaysTheMatricesOfTheBlocksAlone) {
  ModelConfig config = small_model();
  config.bias = true;
  config.tied_embeddings = false;
  LanguageModel model(config, 1);
  const ParameterList parameters(*model);
  std::int64_t decayed = 0;
  for (const Parameter& parameter : parameters.all()) {
    const bool in_block = parameter.name.rfind("blocks.", 0) == 0;
    EXPECT_EQ(parameter.is_block_matrix, in_block && parameter.value.dim() == 2) << parameter.name;
    EXPECT_EQ(parameter.name.find("norm") != std::string::npos && parameter.is_block_matrix, false) << parameter.name;
    decayed += parameter.is_block_matrix;
  }
  EXPECT_EQ(decayed, 2 * 4);  // query-key-value, attention's output, feed-forward in and out
}

TEST(ParameterList, DescribesItsGroups) {
  LanguageModel model(small_model(), 1);
  // Decayed: 2 blocks of 16 x 48 + 16 x 16 + 16 x 64 + 64 x 16 = 3072. Others: embeddings (11 + 8) x 16, norms 5 x 16.
  EXPECT_EQ(ParameterList(*model).describe_groups("weight decay", "none"),
            "weight decay on 8 tensors (6,144), none on 7 tensors (384)");
}

TEST(ParameterList, GivesTheNormOfAllGradients) {
  torch::nn::Linear linear(2, 1);
  linear->weight.mutable_grad() = torch::tensor({{2.0F, -3.0F}});
  linear->bias.mutable_grad() = torch::tensor({6.0F});
  EXPECT_DOUBLE_EQ(ParameterList(*linear).gradient_norm(), 7.0);  // 4 + 9 + 36 = 49
}

TEST(ParameterList, GivesTheSameNormForAnyNumberOfThreads) {
  const auto linear = linear_with_gradients(700, 300);
  const ParameterList parameters(*linear);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const double alone = parameters.gradient_norm();
  omp_set_num_threads(3);
  EXPECT_EQ(parameters.gradient_norm(), alone);
  omp_set_num_threads(threads);
  const auto gradient = linear->weight.grad().to(torch::kFloat64), bias = linear->bias.grad().to(torch::kFloat64);
  EXPECT_NEAR(alone, std::sqrt((gradient.square().sum() + bias.square().sum()).item<double>()), 1e-9 * alone);
}

TEST(ParameterList, GivesTheNormOfManyShapesAtEachInstructionSet) {
  testing::at_each_instruction_set([] {
    torch::manual_seed(4);
    testing::Draw draw(4);
    std::size_t shapes = 0;
    for (int i = 0; i < 70; ++i) {
      const RandomParameters module(draw);
      double squares = 0.0;
      for (torch::Tensor& parameter : module.parameters()) {
        parameter.mutable_grad() = random_gradient(draw, parameter) * (draw.coin() ? 1e-3 : 1e3);
        squares += parameter.grad().to(torch::kFloat64).square().sum().item<double>();
        ++shapes;
      }
      EXPECT_NEAR(ParameterList(module).gradient_norm() / std::sqrt(squares), 1.0, 1e-12) << i;
    }
    EXPECT_GE(shapes, 200U);
  });
}

TEST(ParameterList, PassesOverParametersWithoutGradient) {
  torch::nn::Linear linear(2, 1);
  linear->bias.mutable_grad() = torch::tensor({-5.0F});
  EXPECT_DOUBLE_EQ(ParameterList(*linear).gradient_norm(), 5.0);
}

TEST(ParameterList, ReadsGradientsInTheOrderOfTheParameter) {
  torch::nn::Linear linear(2, 2);
  linear->weight.mutable_grad() = torch::tensor({{1.0F, 3.0F}, {2.0F, 4.0F}}).t();  // not contiguous
  const float* gradient = ParameterList(*linear).gradients()[0];
  EXPECT_EQ(std::vector<float>(gradient, gradient + 4), (std::vector<float>{1, 2, 3, 4}));
}

TEST(ParameterList, DropsGradients) {
  const auto linear = linear_with_gradients(3, 2);
  ParameterList parameters(*linear);
  parameters.zero_gradients();
  EXPECT_FALSE(linear->weight.grad().defined());
  EXPECT_EQ(parameters.gradient_norm(), 0.0);
}

TEST(ParameterList, VisitsEveryElementOnce) {
  torch::nn::Linear linear(300, 301);
  const ParameterList parameters(*linear);
  std::vector<std::vector<int>> visits = {std::vector<int>(300 * 301), std::vector<int>(301)};
  parameters.for_each_slice([&](std::int64_t, std::size_t p, std::int64_t first, std::int64_t count) {
    for (std::int64_t i = first; i < first + count; ++i) ++visits[p][i];
  });
  for (const auto& parameter : visits) EXPECT_EQ(parameter, std::vector<int>(parameter.size(), 1));
}

TEST(ParameterList, RefusesOtherTypes) {
  torch::nn::Linear linear(2, 2);
  linear->to(torch::kFloat64);
  EXPECT_THROW(ParameterList{*linear}, std::invalid_argument);
}

}  // namespace
}  // namespace tinylm
