#include "train/optim/optimizer.h"

#include <gtest/gtest.h>

#include "train_test_support.h"

namespace tinylm {
namespace {

std::uint64_t floats_in(const NamedTensors& tensors) {
  std::uint64_t count = 0;
  for (const auto& [name, tensor] : tensors) count += static_cast<std::uint64_t>(tensor.numel());
  return count;
}

TEST(Optimizers, AreMadeByName) {
  const LanguageModel model(small_model(), 1);
  TrainOptions options;
  for (const std::string& name : optimizer_names()) {
    options.optimizer = name;
    EXPECT_NE(make_optimizer(options, *model), nullptr);
  }
  options.optimizer = "adam";
  EXPECT_THROW(make_optimizer(options, *model), std::invalid_argument);
}

TEST(Optimizers, TakeTheirOptions) {
  for (const std::string& name : optimizer_names()) {
    const LanguageModel model(small_model(), 1);
    TrainOptions options;
    options.optimizer = name;
    options.weight_decay = 0.5;
    options.learning_rate = 0.2;
    options.muon_learning_rate = 0.4;
    torch::Tensor matrix = model->named_parameters()["blocks.0.feed_forward.expand.weight"];
    const torch::Tensor before = matrix.detach().clone();
    matrix.mutable_grad() = torch::zeros_like(matrix);
    make_optimizer(options, *model)->step(1, 0.1, 1.0);  // half of the highest rate
    const double rate = name == "muon" ? 0.2 : 0.1;
    EXPECT_TRUE(torch::allclose(matrix, before * (1 - rate * 0.5), 1e-6, 1e-9)) << name;
  }
}

TEST(Optimizers, TellTheSizeOfTheirState) {
  for (const std::string& name : optimizer_names()) {
    const LanguageModel model(small_model(), 1);
    TrainOptions options;
    options.optimizer = name;
    EXPECT_EQ(optimizer_size(options, model->config()).state_floats,
              floats_in(make_optimizer(options, *model)->state()))
        << name;
  }
}

TEST(Optimizers, TellTheirGroups) {
  const LanguageModel model(small_model(), 1);
  TrainOptions options;
  EXPECT_EQ(make_optimizer(options, *model)->describe_groups(),
            "weight decay on 8 tensors (6,144), none on 7 tensors (384)");
  options.optimizer = "muon";
  EXPECT_EQ(make_optimizer(options, *model)->describe_groups(),
            "Muon with weight decay on 8 tensors (6,144), AdamW without on 7 tensors (384)");
}

}  // namespace
}  // namespace tinylm
