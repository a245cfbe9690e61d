#include "train/plan.h"

#include <gtest/gtest.h>

#include "core/errors.h"
#include "model/ops/linear_products.h"
#include "train_test_support.h"

namespace tinylm {
namespace {

TEST(Plan, CountsBytesOfWeightsGradientsAndOptimizer) {
  const MemoryPlan plan = plan_memory(small_model(), small_training());
  const std::uint64_t parameters = 6528;  // see ParameterList's test
  EXPECT_EQ(plan.weights_bytes, 4 * parameters);
  EXPECT_EQ(plan.gradients_bytes, 4 * parameters);
  EXPECT_EQ(plan.optimizer_bytes, 8 * parameters);
  EXPECT_EQ(plan.total_bytes(), 16 * parameters + plan.activations_bytes);
}

TEST(Plan, CountsWhatMuonKeepsAndWorksWith) {
  TrainOptions options = small_training();
  options.optimizer = "muon";  // a momentum of the 6,144 in matrices, two means of the other 384
  EXPECT_EQ(plan_memory(small_model(), options).optimizer_bytes, 4u * (6144 + 2 * 384 + 2 * 6144));
  EXPECT_LE(checkpoint_bytes(small_model(), options), 4u * (6528 + 6144 + 2 * 384) + 100'000);
}

TEST(Plan, CountsActivationsOfPlainOperationsByTheirFormula) {
  TrainOptions options = small_training();
  options.batch = 1000;  // larger than an evaluation's 128 windows
  // C 16, H 2, T 8, D 8, F 64, V 11. A layer: 8 * 16 + 2 * (16 + 32) + 2 * 64 + 3 * 2 * 8 = 400. Once: 16 + 33 + 64 + 2
  // * 2 * 8 = 145.
  EXPECT_EQ(plan_memory(small_model(), options, Ops::kPlain).activations_bytes, 4u * 1000 * 8 * (2 * 400 + 145));
  ModelConfig config = small_model();
  config.dropout = 0.1;  // 2 * 16 + 2 * 8 = 48 more
  EXPECT_EQ(plan_memory(config, options, Ops::kPlain).activations_bytes, 4u * 1000 * 8 * (2 * 448 + 145));
  config = small_model();
  config.activation = ActivationKind::kSwiGlu;
  config.feed_forward_width = 40;  // 3 * 40 instead of 2 * 64
  config.kv_heads = 1;             // 2 * (16 + 16) instead of 2 * (16 + 32)
  EXPECT_EQ(plan_memory(config, options, Ops::kPlain).activations_bytes, 4u * 1000 * 8 * (2 * 360 + 161));
}

TEST(Plan, CountsActivationsOfFusedOperationsByTheirFormula) {
  TrainOptions options = small_training();
  options.batch = 1000;  // larger than an evaluation's 128 windows
  // A layer: 4 * 16 + 32 + 64 + 2 * 2 + 4 = 168. Once: 6 * 16 + 2 * 16 + 2 * 64 = 256.
  EXPECT_EQ(plan_memory(small_model(), options).activations_bytes, 4u * 1000 * 8 * (2 * 168 + 256));
  ModelConfig config = small_model();
  config.activation = ActivationKind::kSwiGlu;
  config.feed_forward_width = 40;
  config.kv_heads = 1;  // 4 * 16 + 16 + 80 + 8 = 168; once 96 + 32 + 40 + 80 = 248
  EXPECT_EQ(plan_memory(config, options).activations_bytes, 4u * 1000 * 8 * (2 * 168 + 248));
  config = small_model();
  config.vocabulary_size = 1 << 20;  // 128 rows of logits are more
  EXPECT_EQ(plan_memory(config, options).activations_bytes, 4u * (1000u * 8 * (2 * 168 + 96) + 128u * (1u << 20)));
}

TEST(Plan, CountsCopiesOfWeightsAndLogitsInBfloat16) {
  TrainOptions options = small_training();
  options.batch = 1000;
  const MemoryPlan exact = plan_memory(small_model(), options),
                   rounding = plan_memory(small_model(), options, Ops::kBfloat16);
  // Two layers of 16 * (48 + 16 + 64 + 64) and 11 * 16, 2 bytes each.
  const std::uint64_t copies = ops::weight_layout() == ops::WeightLayout::kPacked ? 3 : 1;
  EXPECT_EQ(rounding.weights_bytes, exact.weights_bytes + copies * 2u * (2 * 3072 + 176));
  EXPECT_EQ(rounding.activations_bytes, exact.activations_bytes + 2u * 1000 * 8 * 11);
}

TEST(Plan, CountsOneMicroBatch) {
  TrainOptions options = small_training();
  options.batch = 4000;
  options.accumulate = 4;
  EXPECT_EQ(plan_memory(small_model(), options, Ops::kPlain).activations_bytes, 4u * 1000 * 8 * (2 * 400 + 145));
}

TEST(Plan, CountsAnEvaluationWhenThatIsLarger) {
  EXPECT_EQ(plan_memory(small_model(), small_training(), Ops::kPlain).activations_bytes, 4u * 128 * 8 * (400 + 145));
}

TEST(Plan, SaysWhatToLowerWhenMemoryIsShort) {
  MemoryPlan plan{1'000'000, 1'000'000, 2'000'000, 6'000'000};
  EXPECT_NO_THROW(require_memory(plan, 10'000'000));
  const std::string message = test::message_of<MemoryError>([&] { require_memory(plan, 9'000'000); });
  expect_contains(message, "needs about 10.0 MB");
  expect_contains(message, "only 9.0 MB are available");
  expect_contains(message, "raise --accumulate, or lower --batch or --context");
  plan.activations_bytes = 1;
  expect_contains(test::message_of<MemoryError>([&] { require_memory(plan, 1'000'000); }), "lower --width or --layers");
}

TEST(Plan, CountsOnlyTheCheckpointsThatAreStillToCome) {
  const std::uint64_t one = checkpoint_bytes(small_model(), TrainOptions());
  TrainOptions options;                                                // 2000 steps, evaluated every 250
  EXPECT_EQ(checkpoints_bytes(small_model(), options, 1000, 3), one);  // three are kept, one is being written
  options.keep = 0;
  EXPECT_EQ(checkpoints_bytes(small_model(), options, 1000, 4), 6 * one);  // 4 evaluations, the end, the one written
  EXPECT_EQ(checkpoints_bytes(small_model(), options, 1999, 8), 3 * one);
  options.steps = 10;  // fewer than there were already
  EXPECT_EQ(checkpoints_bytes(small_model(), options, 1000, 4), 2 * one);
}

TEST(Plan, CountsTheCheckpointsThatExistAtATime) {
  const std::uint64_t one = checkpoint_bytes(small_model(), TrainOptions());
  EXPECT_GE(one, 12u * 6528);
  EXPECT_LE(one, 12u * 6528 + 100'000);
  TrainOptions options;                                           // 2000 steps, evaluated every 250
  EXPECT_EQ(checkpoints_bytes(small_model(), options), 4 * one);  // 2 newest, the best, the one being written
  options.keep = 0;
  EXPECT_EQ(checkpoints_bytes(small_model(), options), 10 * one);  // 8 evaluations, the end, the one being written
  options.save_every = 100;
  EXPECT_EQ(checkpoints_bytes(small_model(), options), 30 * one);
  options.save_every = options.eval_every = 0;
  options.keep = 2;
  EXPECT_EQ(checkpoints_bytes(small_model(), options), 2 * one);
}

TEST(Plan, SaysWhereTheDiskIsTooSmall) {
  EXPECT_NO_THROW(require_disk(1000, 1000, "runs/a"));
  const std::string message = test::message_of<FileError>([] { require_disk(5'000'000, 1'000'000, "runs/a"); });
  expect_contains(message, "need about 5.0 MB at runs/a, but only 1.0 MB are free");
  expect_contains(message, "--out, or lower --keep");
}

}  // namespace
}  // namespace tinylm
