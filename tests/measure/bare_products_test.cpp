#include "measure/bare_products.h"

#include <gtest/gtest.h>

namespace tinylm {
namespace {

ModelConfig small_config() {
  ModelConfig config;
  config.vocabulary_size = 65;
  config.context = 200;  // not a whole number of strips
  config.layers = 2;
  config.heads = 4;
  config.kv_heads = 2;
  config.width = 64;
  config.activation = ActivationKind::kSwiGlu;
  return config;
}

TEST(BareProducts, RunForGroupedHeadsGatesAndOddSizes) {
  EXPECT_GT(BareProducts(small_config(), 3).run_s(), 0.0);
  EXPECT_GT(AttentionProducts({1, 1, 1, 8}).run_s(), 0.0);
}

TEST(BareProducts, CountTheOperationsOfAStep) {
  ModelConfig config = small_config();
  config.activation = ActivationKind::kGelu;
  config.kv_heads = 0;
  const double C = 64, rows = 3 * 200, weights = 2 * 12 * C * C + 65 * C;
  // Of each weight and token two forward and four backward; of each allowed score and head number six products.
  EXPECT_EQ(BareProducts::operations(config, 3), 6 * rows * weights + 2 * 12 * 3 * C * (200 * 201 / 2));
  EXPECT_EQ(AttentionProducts::operations({1, 1, 1, 8}), 12 * 8);
}

TEST(BareProducts, KnowTheirMemory) {
  ModelConfig config = small_config();
  config.activation = ActivationKind::kGelu;
  config.kv_heads = 0;
  // 4 x [rows, 4 C], weights and gradients, and attention's 8 x [B H, T, D] and 2 strips of 128.
  const std::uint64_t rows = 3 * 200, C = 64;
  const std::uint64_t weights = 2 * 12 * C * C + 65 * C;
  EXPECT_EQ(BareProducts::memory_bytes(config, 3),
            4 * (4 * rows * 4 * C + 2 * weights + 3 * 4 * 200 * (8 * 16 + 2 * 128)));
}

}  // namespace
}  // namespace tinylm
