// A training that was stopped, saved and resumed equals one that never stopped, bit for bit.
#include <gtest/gtest.h>

#include "core/files.h"
#include "train/checkpoint_observer.h"
#include "train/metrics_file.h"
#include "train/metrics_observer.h"
#include "train_test_support.h"

namespace tinylm {
namespace {

class Resume : public TrainingTest {
 protected:
  void SetUp() override {
    TrainingTest::SetUp();
    config_.dropout = 0.1;
    options_.accumulate = 2;
    options_.eval_every = 3;
  }

  /// Trains in `folder` from its last checkpoint, or from the beginning, until all steps are done or `stop_after` more.
  std::unique_ptr<Trainer> train_in(const std::filesystem::path& folder, std::int64_t stop_after) {
    std::filesystem::create_directories(folder);
    CheckpointStore store(folder / "checkpoints", /*clean=*/true);
    auto training = trainer(config_, options_, val());
    if (!store.empty()) {
      const Checkpoint last = store.open("last", /*with_optimizer=*/true);
      load_parameters(*training->model(), SafetensorsFile(last.model_file()));
      training->optimizer().load_state(SafetensorsFile(last.optimizer_file()));
      training->start_from(last.state);
    }
    training->add_observer(std::make_shared<MetricsObserver>(folder / "metrics.jsonl", training->state().step));
    training->add_observer(recorder_);
    training->add_observer(
        std::make_shared<CheckpointObserver>(store, training->model(), training->optimizer(), options_, 0));
    training->run([&] { return --stop_after == 0; });
    return training;
  }

  void expect_same_reports(const std::vector<StepReport>& expected) {
    ASSERT_EQ(recorder_->reports.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const StepReport &a = expected[i], &b = recorder_->reports[i];
      EXPECT_EQ(a.step, b.step);
      EXPECT_EQ(a.train_loss_nats, b.train_loss_nats) << a.step;
      EXPECT_EQ(a.gradient_norm, b.gradient_norm) << a.step;
      EXPECT_EQ(a.learning_rate, b.learning_rate) << a.step;
      EXPECT_EQ(a.state.tokens_seen, b.state.tokens_seen) << a.step;
      EXPECT_EQ(a.is_best, b.is_best) << a.step;
      EXPECT_EQ(a.evaluated, b.evaluated) << a.step;
      if (a.evaluated) {
        EXPECT_EQ(a.val_loss_nats, b.val_loss_nats) << a.step;
      }
    }
  }

  ModelConfig config_ = small_model();
  TrainOptions options_ = small_training();
  std::shared_ptr<Recorder> recorder_ = std::make_shared<Recorder>();
};

TEST_F(Resume, EqualsATrainingThatNeverStopped) {
  const auto whole = train_in(folder_ / "whole", -1);
  const auto expected = std::exchange(recorder_, std::make_shared<Recorder>())->reports;
  train_in(folder_ / "parts", 2);
  train_in(folder_ / "parts", 5);
  const auto parts = train_in(folder_ / "parts", -1);
  expect_same_reports(expected);
  const NamedTensors a = parameters_of(*whole->model()), b = parameters_of(*parts->model());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(torch::equal(a[i].second, b[i].second)) << a[i].first;
  const NamedTensors c = whole->optimizer().state(), d = parts->optimizer().state();
  for (std::size_t i = 0; i < c.size(); ++i) EXPECT_TRUE(torch::equal(c[i].second, d[i].second)) << c[i].first;
  EXPECT_EQ(whole->state().best_val_loss_nats, parts->state().best_val_loss_nats);
  EXPECT_EQ(whole->state().best_step, parts->state().best_step);
}

TEST_F(Resume, WritesEveryStepOnceIntoTheMetrics) {
  options_.save_every = 5;
  train_in(folder_, 7);
  std::filesystem::remove_all(folder_ / "checkpoints" / "step-7");  // as if killed before it was saved
  replace_link(folder_ / "checkpoints" / "last", "step-6");
  train_in(folder_, -1);
  const std::string metrics = read_file(folder_ / "metrics.jsonl");
  std::size_t at = 0;
  for (std::int64_t step = 1; step <= 12; ++step) {
    const std::string begin = "{\"step\":" + std::to_string(step) + ",";
    ASSERT_EQ(metrics.substr(at, begin.size()), begin);
    at = metrics.find('\n', at) + 1;
  }
  EXPECT_EQ(at, metrics.size());
}

TEST_F(Resume, ContinuesElapsedTime) {
  const double before_s = train_in(folder_, 3)->state().elapsed_s;
  EXPECT_GT(before_s, 0.0);
  EXPECT_GT(train_in(folder_, 1)->state().elapsed_s, before_s);
}

TEST_F(Resume, ExtendsAFinishedTraining) {
  train_in(folder_, -1);
  EXPECT_EQ(recorder_->reports.back().learning_rate, options_.min_learning_rate);
  options_.steps = 20;
  EXPECT_EQ(train_in(folder_, -1)->state().step, 20);
  EXPECT_EQ(recorder_->reports.size(), 20u);
  EXPECT_GT(recorder_->reports[12].learning_rate, options_.min_learning_rate);  // the cosine is stretched
  EXPECT_EQ(recorder_->reports.back().learning_rate, options_.min_learning_rate);
}

}  // namespace
}  // namespace tinylm
