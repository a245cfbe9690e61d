// What happens to a model that is shown the tokens it is asked to predict.
#include <gtest/gtest.h>

#include <cmath>

#include "train_test_support.h"

namespace tinylm {
namespace {

struct Losses {
  double training_nats = 0.0;
  double validation_nats = 0.0;  // with later tokens hidden, whatever the model was trained with
};

class LeakTest : public TrainingTest {
 protected:
  Losses losses_of(MaskKind mask) const {
    ModelConfig config = small_model();
    config.width = 32;
    config.attention_mask = mask;
    TrainOptions options = small_training();
    options.steps = 400;
    options.batch = 16;
    options.eval_every = 0;
    const auto training = trainer(config, options, val());
    const auto recorder = std::make_shared<Recorder>();
    training->add_observer(recorder);
    training->run();
    return {recorder->reports.back().train_loss_nats, recorder->reports.back().val_loss_nats};
  }
};

TEST_F(LeakTest, TheTrainingLossFallsFarBelowAndTheHonestLossIsFarWorse) {
  // Each token is one of four, whatever came before: no honest model is better than ln 4 on what it has not seen.
  const Losses causal = losses_of(MaskKind::kCausal), leaking = losses_of(MaskKind::kNone);
  EXPECT_LT(leaking.training_nats, 0.5 * causal.training_nats);
  EXPECT_LT(leaking.training_nats, 0.5 * std::log(4.0));
  EXPECT_GT(leaking.validation_nats, causal.validation_nats + 1.0);
  EXPECT_GT(causal.validation_nats, std::log(4.0) - 0.1);
}

}  // namespace
}  // namespace tinylm
