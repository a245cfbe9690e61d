// The rates that everything is compared with: plausible on any machine, and of the right work.
#include <gtest/gtest.h>

#include <vector>

#include "core/stop_watch.h"
#include "measure/norms_of_step.h"
#include "measure/reading.h"
#include "measure/square_product.h"

namespace tinylm {
namespace {

TEST(Stopwatch, TakesTheFastestAfterWarmingUp) {
  const std::vector<double> seconds = {0.1, 3.0, 2.0, 5.0, 1.0};
  std::size_t call = 0;
  EXPECT_EQ(fastest_s(10.0, [&] { return seconds[call++]; }), 2.0);  // 3 + 2 + 5 fill the limit
  EXPECT_EQ(call, 4u);
}

TEST(SquareProduct, CountsItsOperations) {
  SquareProduct product(64, ops::MatmulInputs::kFloat32);
  EXPECT_EQ(product.operations(), 2.0 * 64 * 64 * 64);
  EXPECT_GT(product.run_s(), 0.0);
}

TEST(SquareProduct, HasARate) {
  EXPECT_GT(product_gflops(128, ops::MatmulInputs::kFloat32), 0.1);
  EXPECT_LT(product_gflops(128, ops::MatmulInputs::kFloat32), 1e6);
}

TEST(Reading, HasAPlausibleRate) {
  Reading reading(1'000'000);
  EXPECT_EQ(reading.bytes(), 1'000'000.0);
  const double bytes_per_s = reading.bytes() / fastest_s(0.02, [&] { return reading.run_s(); });
  EXPECT_GT(bytes_per_s, 1e6);
  EXPECT_LT(bytes_per_s, 1e13) << "nothing was read";
}

TEST(NormsOfStep, Run) {
  ModelConfig config;
  config.vocabulary_size = 11;
  EXPECT_GT(NormsOfStep(config, 32).run_s(), 0.0);
}

}  // namespace
}  // namespace tinylm
