#include "model/ops/kernels/panels.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/instruction_set.h"

namespace tinylm::ops {
namespace {

struct Product {
  std::int64_t rows, inputs, outputs;
  std::vector<float> x, weight, bias, y;  // y: what was there before
};

std::vector<float> drawn(std::int64_t count, std::mt19937& random) {
  std::vector<float> values(count);
  for (float& value : values) value = std::uniform_real_distribution<float>(-1.0F, 1.0F)(random);
  return values;
}

Product random_product(std::mt19937& random) {
  const auto between = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
  Product p{between(1, 40), between(1, 70), between(1, 150), {}, {}, {}, {}};
  p.x = drawn(p.rows * p.inputs, random);
  p.weight = drawn(p.outputs * p.inputs, random);
  p.bias = drawn(whole_lanes(p.outputs), random);
  p.y = drawn(p.rows * (p.outputs + 3), random);
  return p;
}

/// In double, by the definition.
double expected(const Product& p, std::int64_t row, std::int64_t n, bool with_bias, bool add) {
  double sum = (with_bias ? p.bias[n] : 0.0) + (add ? p.y[row * (p.outputs + 3) + n] : 0.0);
  for (std::int64_t k = 0; k < p.inputs; ++k)
    sum += static_cast<double>(p.x[row * p.inputs + k]) * p.weight[n * p.inputs + k];
  return sum;
}

std::vector<float> packed(const Product& p) {
  std::vector<float> values(whole_lanes(p.outputs) * p.inputs);
  for (std::int64_t n = 0; n < p.outputs; n += kLanes)
    pack_panel(p.weight.data() + n * p.inputs, p.inputs, std::min(kLanes, p.outputs - n), values.data() + n * p.inputs);
  return values;
}

std::vector<float> multiplied(const Product& p, const std::vector<float>& values, bool with_bias, bool add) {
  std::vector<float> y = p.y;
  const Panels panels{values.data(), with_bias ? p.bias.data() : nullptr, p.inputs, p.outputs};
  const PanelRows rows{p.rows, p.x.data(), p.inputs, y.data(), p.outputs + 3, add};
  const std::int64_t middle = panels.count() / 3;  // as two threads would share them
  multiply_panels(panels, middle, panels.count(), rows);
  multiply_panels(panels, 0, middle, rows);
  return y;
}

TEST(Panels, MultiplyAsTheDefinitionAndTouchNothingElse) {
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    const Product p = random_product(random);
    const std::vector<float> values = packed(p);
    const bool with_bias = i % 2 == 0, add = i % 3 == 0;
    for (const InstructionSet set : available_instruction_sets()) {
      const InstructionSetLimit limit(set);
      const std::vector<float> y = multiplied(p, values, with_bias, add);
      for (std::int64_t row = 0; row < p.rows; ++row) {
        for (std::int64_t n = 0; n < p.outputs; ++n)
          ASSERT_NEAR(y[row * (p.outputs + 3) + n], expected(p, row, n, with_bias, add), 2e-5) << name_of(set);
        for (std::int64_t n = p.outputs; n < p.outputs + 3; ++n)
          ASSERT_EQ(y[row * (p.outputs + 3) + n], p.y[row * (p.outputs + 3) + n]) << "behind row " << row;
      }
    }
  }
}

TEST(Panels, RowsDoNotDependOnEachOther) {
  std::mt19937 random(4);
  for (int i = 0; i < 100; ++i) {
    const Product all = random_product(random);
    const std::vector<float> values = packed(all);
    for (const InstructionSet set : available_instruction_sets()) {
      const InstructionSetLimit limit(set);
      const std::vector<float> together = multiplied(all, values, false, false);
      for (std::int64_t row = 0; row < all.rows; ++row) {
        Product one = all;
        one.rows = 1;
        one.x.erase(one.x.begin(), one.x.begin() + row * all.inputs);
        const std::vector<float> alone = multiplied(one, values, false, false);
        for (std::int64_t n = 0; n < all.outputs; ++n)
          ASSERT_EQ(alone[n], together[row * (all.outputs + 3) + n]) << name_of(set) << " row " << row;
      }
    }
  }
}

}  // namespace
}  // namespace tinylm::ops
