#include "model/model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/ops/loss.h"

namespace tinylm {
namespace {

ModelConfig tiny() {
  ModelConfig config;
  config.vocabulary_size = 65;
  return config;
}

TEST(LanguageModel, StartsNearTheLossOfAUniformGuess) {
  torch::manual_seed(0);
  LanguageModel model(tiny(), 1337);
  const torch::Tensor ids = torch::randint(65, {12, 64}, torch::kInt64);
  const torch::Tensor targets = torch::randint(65, {12, 64}, torch::kInt64);
  const torch::Tensor loss = ops::next_token_loss(model->forward(ids), targets);
  loss.backward();
  EXPECT_NEAR(loss.item<double>(), std::log(65.0), 0.1);
}

}  // namespace
}  // namespace tinylm
