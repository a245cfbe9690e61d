#include "inspect/rollout.h"

#include <gtest/gtest.h>

#include "testing/tensors.h"

namespace tinylm {
namespace {

TEST(Rollout, MultipliesLayersWithHalfOfEachPassingBy) {
  const torch::Tensor attention = torch::tensor({{{1.0, 0.0, 0.0}, {0.5, 0.5, 0.0}, {0.2, 0.3, 0.5}},
                                                 {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.5, 0.5}}},
                                                torch::kFloat64)
                                      .unsqueeze(1);  // [2, 1, 3, 3]
  EXPECT_TRUE(
      testing::tensors_close(rollout(attention)[2], torch::tensor({0.1375, 0.3, 0.5625}, torch::kFloat64), 1e-15));
}

TEST(Rollout, TakesTheMeanOverHeads) {
  const torch::Tensor heads =
      torch::stack({torch::tensor({{1.0, 0.0}, {1.0, 0.0}}), torch::tensor({{1.0, 0.0}, {0.0, 1.0}})});
  EXPECT_TRUE(
      testing::tensors_close(rollout(heads.unsqueeze(0))[1], torch::tensor({0.25, 0.75}, torch::kFloat64), 1e-15));
}

// Twelve uniform layers of 256 tokens give 45 % of the last row to token 0: why a rollout is shown beside this one.
TEST(UniformRollout, GathersAtTheFirstToken) {
  const torch::Tensor result = uniform_rollout(12, 256);
  EXPECT_NEAR(result[255][0].item<double>(), 0.45, 0.005);
  EXPECT_NEAR(result[255].sum().item<double>(), 1.0, 1e-12);
}

}  // namespace
}  // namespace tinylm
