#include "train/finite.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/errors.h"
#include "train_test_support.h"

namespace tinylm {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Clipping, ScalesLargeGradientsDownToTheLimit) {
  EXPECT_DOUBLE_EQ(clipping_scale(4.0, 1.0), 0.25);
  EXPECT_DOUBLE_EQ(clipping_scale(0.5, 1.0), 1.0);
  EXPECT_DOUBLE_EQ(clipping_scale(4.0, 0.0), 1.0);  // off
}

TEST(Finite, AcceptsOrdinaryNumbers) {
  LanguageModel model(small_model(), 1);
  EXPECT_EQ(step_fault(2.5, 1e6, 1.0), "");
  EXPECT_NO_THROW(require_finite_evaluation(1, 2.5, {}));
  EXPECT_NO_THROW(require_finite_weights(1, *model, {}));
}

TEST(Finite, NamesStepValueAndWhatToTry) {
  TrainOptions options;
  options.learning_rate = 0.5;
  options.warmup = 7;
  const std::string message =
      test::message_of<NotFinite>([&] { stop_training(57, step_fault(kNaN, 1.0, 1.0), options); });
  for (const char* part :
       {"step 57: the training loss is not a number", "checkpoints saved so far are unharmed",
        "lower --learning-rate (it is 0.5)", "lower --clip (it is 1.0)", "--warmup (it is 7)", "--on-nan skip"}) {
    expect_contains(message, part);
  }
  options.clip = 0.0;
  expect_contains(test::message_of<NotFinite>([&] { stop_training(57, "infinite", options); }), "--clip 1 (it is off)");
}

TEST(Finite, RefusesGradients) {
  EXPECT_EQ(step_fault(2.0, kNaN, 1.0), "the gradient's norm is not a number");
  EXPECT_EQ(step_fault(-kInfinity, 1.0, 1.0), "the training loss is minus infinity");
  EXPECT_EQ(step_fault(2.0, 1e22, 1.0), "");  // clipped to 1
  expect_contains(step_fault(2.0, 1e22, 0.0), "too large for float32");
}

TEST(Finite, RefusesEvaluations) {
  expect_contains(test::message_of<NotFinite>([] { require_finite_evaluation(8, kInfinity, {}); }),
                  "step 8: the validation loss is infinite");
}

TEST(Finite, NamesTheWeightsThatAreBad) {
  LanguageModel model(small_model(), 1);
  const torch::NoGradGuard no_gradients;
  model->named_parameters()["blocks.1.attention.query_key_value.weight"][0][0].fill_(kInfinity);
  expect_contains(test::message_of<NotFinite>([&] { require_finite_weights(8, *model, {}); }),
                  "the weights of blocks.1.attention.query_key_value.weight are no longer finite");
}

}  // namespace
}  // namespace tinylm
