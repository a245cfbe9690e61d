#include "model/ops/kernels/lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/instruction_set.h"
#include "core/vectorised.h"

namespace tinylm::ops {
namespace {

void exponentiate_all(float* values, std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += kLanes) {
    Lanes x;
    load(values + i, x);
    exponentiate(x);
    store(x, values + i);
  }
}

void sum_and_largest(const float* values, float* results) {
  Lanes x, y;
  load(values, x);
  load(values, y);
  results[0] = sum_of(x);
  results[1] = largest_of(y);
}

/// `count` numbers from `least` to `most`.
std::vector<float> range(double least, double most, int count) {
  std::vector<float> values(count);
  for (int i = 0; i < count; ++i) values[i] = static_cast<float>(least + (most - least) * i / (count - 1));
  return values;
}

TEST(Lanes, ExponentiateWithinTwoUnitsInTheLastPlace) {
  const std::vector<float> inputs = range(-87.0, 88.0, 160000);
  for (const InstructionSet set : available_instruction_sets()) {
    const InstructionSetLimit limit(set);
    std::vector<float> results = inputs;
    vectorised<exponentiate_all>(results.data(), static_cast<std::int64_t>(results.size()));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const double expected = std::exp(static_cast<double>(inputs[i]));
      ASSERT_NEAR(results[i] / expected, 1.0, 2 * 1.2e-7) << name_of(set) << " e^" << inputs[i];
    }
  }
}

TEST(Lanes, SumAndLargestCoverEveryLane) {
  std::vector<float> values(kLanes);
  std::iota(values.begin(), values.end(), -20.0F);
  for (std::size_t shift = 0; shift < values.size(); ++shift) {
    std::rotate(values.begin(), values.begin() + 1, values.end());
    float results[2];
    vectorised<sum_and_largest>(static_cast<const float*>(values.data()), static_cast<float*>(results));
    EXPECT_EQ(results[0], -200.0F);  // 16 * -20 + (0 + ... + 15)
    EXPECT_EQ(results[1], -5.0F);
  }
}

}  // namespace
}  // namespace tinylm::ops
