#include "model/ops/dropout.h"
#include "core/torch.h"

#include <gtest/gtest.h>
#include <omp.h>

#include "core/philox.h"
#include "testing/fused.h"
#include "testing/tensors.h"

namespace tinylm::ops {
namespace {

using tinylm::testing::tensors_equal;

const DropoutPlan kPlan{.probability = 0.25, .seed = 42, .first_sample = 100};

TEST(Dropout, FollowsThePhiloxWordsOfSampleAndPlace) {
  const Philox philox(42, Purpose::kDropout);
  testing::at_each_instruction_set([&] {
    const torch::Tensor found = dropout(torch::ones({2, 3, 67}), kPlan, 5).view({2, 201});
    for (std::int64_t row = 0; row < 2; ++row) {
      for (std::int64_t i = 0; i < 201; ++i) {
        const std::uint64_t place = (std::uint64_t{5} << 40) | static_cast<std::uint64_t>(i / 4);
        const bool drop =
            philox.block(static_cast<std::uint64_t>(100 + row), place)[i % 4] < (1U << 30);  // a quarter of 2^32
        ASSERT_EQ(found[row][i].item<float>(), drop ? 0.0F : 1.0F / 0.75F) << row << " " << i;
      }
    }
  });
}

TEST(Dropout, DoesNotDependOnHowABatchIsSplit) {
  const torch::Tensor x = torch::randn({6, 50, 7});
  DropoutPlan second = kPlan;
  second.first_sample += 4;
  const torch::Tensor parts = torch::cat({dropout(x.slice(0, 0, 4), kPlan, 1), dropout(x.slice(0, 4), second, 1)});
  EXPECT_TRUE(tensors_equal(dropout(x, kPlan, 1), parts));
}

TEST(Dropout, DoesNotDependOnTheNumberOfThreads) {
  const torch::Tensor x = torch::randn({5, 1003});
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const torch::Tensor one = dropout(x, kPlan, 1);
  omp_set_num_threads(3);
  const torch::Tensor three = dropout(x, kPlan, 1);
  omp_set_num_threads(threads);
  EXPECT_TRUE(tensors_equal(one, three));
}

TEST(Dropout, KeepsTheExpectedFractionAndMean) {
  const torch::Tensor dropped = dropout(torch::ones({16, 10000}), kPlan, 2);
  // 160,000 draws: the kept fraction has a standard deviation of sqrt(0.25 * 0.75 / 160000) = 0.0011.
  EXPECT_NEAR((dropped != 0).to(torch::kFloat64).mean().item<double>(), 0.75, 0.005);
  EXPECT_NEAR(dropped.to(torch::kFloat64).mean().item<double>(), 1.0, 0.0067);
}

TEST(Dropout, DiffersBetweenSitesSamplesAndSeeds) {
  const torch::Tensor x = torch::ones({2, 1000}), base = dropout(x, kPlan, 1);
  DropoutPlan other = kPlan;
  other.seed = 43;
  EXPECT_FALSE(torch::equal(base, dropout(x, kPlan, 2)));
  EXPECT_FALSE(torch::equal(base, dropout(x, other, 1)));
  EXPECT_FALSE(torch::equal(base[0], base[1]));
}

TEST(Dropout, GradientGoesWhereTheValueWent) {
  const torch::Tensor x = torch::randn({3, 200}).requires_grad_(true);
  const torch::Tensor y = dropout(x, kPlan, 7);
  y.sum().backward();
  EXPECT_TRUE(tensors_equal(x.grad(), (y.detach() != 0).to(torch::kFloat32) / 0.75F));
}

TEST(Dropout, DropsTheSameElementsInEveryDtype) {
  const torch::Tensor single = dropout(torch::ones({2, 300}), kPlan, 1);
  const torch::Tensor wide = dropout(torch::ones({2, 300}, torch::kFloat64), kPlan, 1);
  const torch::Tensor narrow = dropout(torch::ones({2, 300}, torch::kBFloat16), kPlan, 1);
  EXPECT_TRUE(torch::equal(single == 0, wide == 0));
  EXPECT_TRUE(torch::equal(single == 0, narrow == 0));
}

TEST(Dropout, GivesTheTensorItselfWhenOff) {
  const torch::Tensor x = torch::randn({2, 3});
  EXPECT_TRUE(dropout(x, {.probability = 0.0, .seed = 1}, 1).is_same(x));
}

TEST(Dropout, TakesViewsAndEmptyTensors) {
  const torch::Tensor x = torch::randn({3, 8, 5}).transpose(1, 2);
  EXPECT_TRUE(tensors_equal(dropout(x, kPlan, 1), dropout(x.contiguous(), kPlan, 1)));
  EXPECT_EQ(dropout(torch::zeros({0, 4}), kPlan, 1).numel(), 0);
}

}  // namespace
}  // namespace tinylm::ops
