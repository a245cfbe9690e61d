#include "train/checkpoint_observer.h"

#include <gtest/gtest.h>

#include "core/errors.h"
#include "train_test_support.h"

namespace tinylm {
namespace {

class CheckpointObserverTest : public TrainingTest {
 protected:
  /// Steps that are saved of 1..12, evaluations being at 4, 8 and 12, the best at 8, the end at 11.
  std::vector<std::int64_t> saved_steps(std::int64_t save_every, double minutes = 0.0, double whole_minutes = 0.0) {
    TrainOptions options = small_training();
    options.minutes = whole_minutes;
    options.save_every = save_every;
    options.save_every_minutes = minutes;
    options.keep = 0;
    LanguageModel model(small_model(), 1);
    const auto optimizer = make_optimizer(options, *model);
    CheckpointObserver observer(CheckpointStore(folder_ / "checkpoints"), model, *optimizer, options, 77);
    for (std::int64_t step = 1; step <= 11; ++step) {
      StepReport report;
      report.step = report.state.step = step;
      report.evaluated = step % 4 == 0;
      report.is_best = step == 8;
      report.ends = step == 11;
      observer.on_step(report);
    }
    return CheckpointStore(folder_ / "checkpoints").steps();
  }
};

using Steps = std::vector<std::int64_t>;

TEST_F(CheckpointObserverTest, SavesAtEvaluationsAndTheEnd) {
  EXPECT_EQ(saved_steps(0), (Steps{4, 8, 11}));
}

TEST_F(CheckpointObserverTest, SavesAtItsOwnPaceAndTheBest) {
  EXPECT_EQ(saved_steps(3), (Steps{3, 6, 8, 9, 11}));
}

TEST_F(CheckpointObserverTest, SavesWhenMinutesHavePassed) {
  EXPECT_EQ(saved_steps(0, 60.0), (Steps{4, 8, 11}));
  std::filesystem::remove_all(folder_ / "checkpoints");
  EXPECT_EQ(saved_steps(0, 1e-12).size(), 11U);
}

TEST_F(CheckpointObserverTest, SavesWhereATrainingByTimeChoosesItsPace) {
  EXPECT_EQ(saved_steps(3, 0.0, /*whole_minutes=*/5.0), (Steps{3, 4, 6, 8, 9, 11}));
}

TEST_F(CheckpointObserverTest, MarksTheBest) {
  saved_steps(3);
  const CheckpointStore store(folder_ / "checkpoints");
  EXPECT_EQ(store.open("best", true).state.step, 8);
  EXPECT_EQ(store.open("last", true).state.step, 11);
  EXPECT_EQ(store.open("last", true).tokenizer_fingerprint, 77u);
}

TEST_F(CheckpointObserverTest, NeverSavesBadWeights) {
  const TrainOptions options = small_training();
  LanguageModel model(small_model(), 1);
  const auto optimizer = make_optimizer(options, *model);
  CheckpointObserver observer(CheckpointStore(folder_ / "checkpoints"), model, *optimizer, options, 77);
  StepReport report;
  report.state.step = 5;
  report.ends = true;
  const torch::NoGradGuard no_gradients;
  model->parameters()[0].fill_(std::numeric_limits<float>::infinity());
  EXPECT_THROW(observer.on_step(report), NotFinite);
  EXPECT_TRUE(CheckpointStore(folder_ / "checkpoints").empty());
}

}  // namespace
}  // namespace tinylm
