// Against the C library in double.
#include "core/vector_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/vectorised.h"

namespace tinylm {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

void exponentials(const float* x, float* y, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) y[i] = exponential(x[i]);
}
void cumulatives(const float* x, float* y, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) y[i] = normal_distribution(x[i]).cumulative;
}

/// Calls compare(x, kFunction(x)) for 200,001 x from `least` to `most`, computed at each instruction set.
template <auto kFunction, class Compare>
void over_range(double least, double most, const Compare& compare) {
  constexpr std::int64_t kCount = 200'001;
  std::vector<float> x(kCount), y(kCount);
  for (std::int64_t i = 0; i < kCount; ++i)
    x[i] = static_cast<float>(least + (most - least) * static_cast<double>(i) / (kCount - 1));
  for (const InstructionSet set : available_instruction_sets()) {
    const InstructionSetLimit limit(set);
    vectorised<kFunction>(static_cast<const float*>(x.data()), y.data(), kCount);
    for (std::int64_t i = 0; i < kCount; ++i) ASSERT_TRUE(compare(x[i], y[i])) << name_of(set) << " at " << x[i];
  }
}

TEST(Exponential, IsTheCLibrarysToTwoInTenMillion) {
  over_range<exponentials>(-87.3, 88.3, [](double x, double y) { return std::abs(y / std::exp(x) - 1) < 2e-7; });
  over_range<exponentials>(-1.0, 1.0, [](double x, double y) { return std::abs(y / std::exp(x) - 1) < 2e-7; });
}

TEST(Exponential, EndsInZeroAndInfinity) {
  EXPECT_EQ(exponential(0.0F), 1.0F);
  EXPECT_EQ(exponential(-88.0F), 0.0F);
  EXPECT_EQ(exponential(-kInfinity), 0.0F);
  EXPECT_EQ(exponential(89.0F), kInfinity);
  EXPECT_EQ(exponential(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(exponential(std::numeric_limits<float>::quiet_NaN())));
}

TEST(NormalDistribution, IsTheErrorFunctions) {
  over_range<cumulatives>(
      -12.0, 12.0, [](double x, double y) { return std::abs(y - 0.5 * std::erfc(-x / std::sqrt(2.0))) < 1.5e-7; });
}

TEST(NormalDistribution, IsRelativelyExactInItsLowerTail) {
  over_range<cumulatives>(
      -12.0, -0.5, [](double x, double y) { return std::abs(y / (0.5 * std::erfc(-x / std::sqrt(2.0))) - 1) < 1e-5; });
}

TEST(NormalDistribution, HasItsDensity) {
  for (const double x : {-3.0, -0.7, 0.0, 0.2, 5.0})
    EXPECT_NEAR(normal_distribution(static_cast<float>(x)).density, std::exp(-x * x / 2) / std::sqrt(2 * M_PI), 1e-7);
}

TEST(NormalDistribution, TakesInfinitiesAndNaN) {
  EXPECT_EQ(normal_distribution(kInfinity).cumulative, 1.0F);
  EXPECT_EQ(normal_distribution(-kInfinity).cumulative, 0.0F);
  EXPECT_EQ(normal_distribution(kInfinity).density, 0.0F);
  EXPECT_TRUE(std::isnan(normal_distribution(std::numeric_limits<float>::quiet_NaN()).cumulative));
}

}  // namespace
}  // namespace tinylm
