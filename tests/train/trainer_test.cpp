#include "train/trainer.h"

#include <gtest/gtest.h>
#include <torch/nn/functional/loss.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "core/errors.h"
#include "train/evaluate.h"
#include "train/schedule.h"
#include "train_test_support.h"

namespace tinylm {
namespace {

class TrainerTest : public TrainingTest {
 protected:
  /// Trains and gives the reports.
  std::vector<StepReport> run(
      Trainer& trainer, const std::function<bool()>& stop = [] { return false; }) {
    const auto recorder = std::make_shared<Recorder>();
    trainer.add_observer(recorder);
    trainer.run(stop);
    return recorder->reports;
  }
  std::vector<torch::Tensor> gradients(Trainer& trainer) {
    std::vector<torch::Tensor> gradients;
    for (const auto& parameter : trainer.model()->parameters()) gradients.push_back(parameter.grad());
    return gradients;
  }
};

TEST_F(TrainerTest, LearnsOneBatchByHeart) {
  ModelConfig config = small_model();
  config.width = 32;
  TrainOptions options = small_training();
  options.steps = 150;
  options.batch = 2;
  options.warmup = 10;
  LanguageModel model(config, 1);
  TokenRange one_window = train();
  one_window.count = config.context + 1;
  Trainer trainer(model, make_optimizer(options, *model), BatchSource(one_window, config.context, 1),
                  EvaluationWindows(nothing(), config.context), options);
  EXPECT_LT(run(trainer).back().train_loss_nats, 0.05);
}

TEST_F(TrainerTest, ReportsEveryStep) {
  const TrainOptions options = small_training();
  const auto reports = run(*trainer(small_model(), options, val()));
  ASSERT_EQ(reports.size(), 12u);
  for (std::int64_t i = 0; i < 12; ++i) {
    const StepReport& report = reports[i];
    EXPECT_EQ(report.step, i + 1);
    EXPECT_EQ(report.state.step, i + 1);
    EXPECT_EQ(report.total_steps, 12);
    EXPECT_EQ(report.state.tokens_seen, (i + 1) * 4 * 8);
    EXPECT_EQ(report.learning_rate, learning_rate_at(options, i + 1));
    EXPECT_GT(report.gradient_norm, 0.0);
    EXPECT_GT(report.tokens_per_s, 0.0);
    EXPECT_EQ(report.evaluated, (i + 1) % 4 == 0);
    EXPECT_EQ(std::isnan(report.val_loss_nats), !report.evaluated);
    EXPECT_EQ(report.ends, i == 11);
  }
  EXPECT_NEAR(reports[0].train_loss_nats, std::log(11.0), 0.1);
}

TEST_F(TrainerTest, ReportsTheLossOfTheStepsOwnBatch) {
  const auto training = trainer(small_model(), small_training(), nothing());
  LanguageModel untrained(small_model(), 5);
  const Batch batch = BatchSource(train(), 8, 5).samples(0, 4);
  const torch::Tensor logits = untrained->forward(batch.inputs);
  const double expected =
      torch::nn::functional::cross_entropy(logits.view({-1, 11}), batch.targets.view({-1})).item<double>();
  EXPECT_NEAR(run(*training)[0].train_loss_nats, expected, 1e-6);
}

TEST_F(TrainerTest, EvaluatesTheWholeValidationText) {
  const auto training = trainer(small_model(), small_training(), val());
  const auto reports = run(*training);
  const double again = evaluate(training->model(), EvaluationWindows(val(), 8), 4);
  EXPECT_NEAR(reports.back().val_loss_nats, again, 1e-6);
  EXPECT_EQ(training->state().last_val_loss_nats, reports.back().val_loss_nats);
}

TEST_F(TrainerTest, EvaluatesOnlyAtTheEndWhenAskedTo) {
  TrainOptions options = small_training();
  options.eval_every = 0;
  const auto reports = run(*trainer(small_model(), options, val()));
  for (const StepReport& report : reports) EXPECT_EQ(report.evaluated, report.step == 12);
}

TEST_F(TrainerTest, RemembersTheBestEvaluation) {
  TrainOptions options = small_training();
  options.eval_every = 1;
  const auto reports = run(*trainer(small_model(), options, val()));
  double best = std::numeric_limits<double>::infinity();
  for (const StepReport& report : reports) {
    EXPECT_EQ(report.is_best, report.val_loss_nats < best) << report.step;
    best = std::min(best, report.val_loss_nats);
    EXPECT_EQ(report.state.best_val_loss_nats, best);
    EXPECT_EQ(reports[report.state.best_step - 1].val_loss_nats, best);
  }
}

TEST_F(TrainerTest, NeverComparesALossThatDoesNotExist) {
  const auto reports = run(*trainer(small_model(), small_training(), nothing()));
  for (const StepReport& report : reports) {
    EXPECT_FALSE(report.is_best);
    EXPECT_TRUE(std::isnan(report.state.best_val_loss_nats));
  }
  EXPECT_TRUE(reports.back().evaluated);
  EXPECT_EQ(reports.back().state.evaluations_without_gain, 0);
}

TEST_F(TrainerTest, AccumulatesTheGradientOfOneLargeBatch) {
  ModelConfig config = small_model();
  config.dropout = 0.1;  // drawn a sample, so the same elements are dropped
  TrainOptions options = small_training();
  options.steps = 1;
  const auto whole = trainer(config, options, nothing());
  const StepReport expected = run(*whole)[0];
  for (const std::int64_t accumulate : {2, 4}) {
    options.accumulate = accumulate;
    const auto parts = trainer(config, options, nothing());
    const StepReport report = run(*parts)[0];
    EXPECT_NEAR(report.train_loss_nats, expected.train_loss_nats, 1e-6);
    EXPECT_NEAR(report.gradient_norm, expected.gradient_norm, 1e-6 * expected.gradient_norm);
    const auto a = gradients(*whole), b = gradients(*parts);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(torch::allclose(a[i], b[i], 1e-4, 1e-7)) << i;
  }
}

TEST_F(TrainerTest, ClipsTheGradient) {
  TrainOptions options = small_training();
  options.steps = 1;
  options.warmup = 0;
  options.clip = 1e-12;  // far below AdamW's epsilon: what is clipped so hard moves nothing
  options.weight_decay = 0.0;
  const auto training = trainer(small_model(), options, nothing());
  LanguageModel untrained(small_model(), options.seed);
  EXPECT_GT(run(*training)[0].gradient_norm, 1e-3);  // reported before clipping
  const NamedTensors before = parameters_of(*untrained), after = parameters_of(*training->model());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_TRUE(torch::allclose(before[i].second, after[i].second, 0.0, 1e-5)) << before[i].first;
  }
}

TEST_F(TrainerTest, DropsOtherElementsInEverySeed) {
  ModelConfig config = small_model();
  config.dropout = 0.5;
  const auto with = run(*trainer(config, small_training(), nothing()));
  config.dropout = 0.0;
  const auto without = run(*trainer(config, small_training(), nothing()));
  EXPECT_NE(with[0].train_loss_nats, without[0].train_loss_nats);
}

TEST_F(TrainerTest, StopsBeforeABadLossReachesTheWeights) {
  const auto training = trainer(small_model(), small_training(), val());
  const auto recorder = std::make_shared<Recorder>();
  training->add_observer(recorder);
  {
    const torch::NoGradGuard no_gradients;
    training->model()->parameters()[0].fill_(std::numeric_limits<float>::quiet_NaN());
  }
  const torch::Tensor before = training->model()->parameters()[3].clone();
  expect_contains(test::message_of<NotFinite>([&] { training->run(); }), "step 1: the training loss is not a number");
  EXPECT_TRUE(torch::equal(training->model()->parameters()[3], before));
  EXPECT_TRUE(recorder->reports.empty());
  EXPECT_EQ(training->state().step, 0);
}

TEST_F(TrainerTest, SkipsAndCountsBadStepsWhenAskedToUntilItIsHopeless) {
  TrainOptions options = small_training();
  options.on_nan = "skip";
  options.steps = 200;
  options.eval_every = 0;
  const auto training = trainer(small_model(), options, nothing());
  const auto recorder = std::make_shared<Recorder>();
  training->add_observer(recorder);
  const torch::Tensor weight = training->model()->parameters()[0].detach();  // the same memory
  const torch::Tensor good = weight.clone();
  weight.fill_(std::numeric_limits<float>::quiet_NaN());
  training->run([&] {
    if (training->state().step == 3) {
      EXPECT_TRUE(weight.isnan().all().item<bool>());
      weight.copy_(good);
    }
    return training->state().step == 5;
  });
  ASSERT_EQ(recorder->reports.size(), 5U);
  EXPECT_EQ(recorder->reports[2].skipped, "the training loss is not a number");
  EXPECT_EQ(recorder->reports[3].skipped, "");
  EXPECT_EQ(training->state().skipped_steps, 3);
  EXPECT_EQ(training->state().skipped_in_a_row, 0);
  weight.fill_(std::numeric_limits<float>::quiet_NaN());
  expect_contains(test::message_of<NotFinite>([&] { training->run(); }), "step 105: the training loss is not a number");
}

TEST_F(TrainerTest, RunsOutOfPatience) {
  TrainOptions options = small_training();
  options.learning_rate = options.min_learning_rate = 1e-30;  // nothing changes, so only the first evaluation is a gain
  options.steps = 100;
  options.patience = 2;
  const auto training = trainer(small_model(), options, val());
  const auto reports = run(*training);
  EXPECT_EQ(reports.size(), 12u);  // evaluations at 4 (best), 8 and 12
  EXPECT_TRUE(reports.back().ends);
  EXPECT_TRUE(training->state().stopped_early);
  EXPECT_EQ(training->state().best_step, 4);
  EXPECT_EQ(training->state().evaluations_without_gain, 2);
}

TEST_F(TrainerTest, BeginsPatienceAnewWhenItGoesOn) {
  TrainingState state;
  state.step = 3;
  state.stopped_early = true;
  state.evaluations_without_gain = 5;
  const auto training = trainer(small_model(), small_training(), val());
  training->start_from(state);
  EXPECT_EQ(training->state().evaluations_without_gain, 0);
  EXPECT_FALSE(training->state().stopped_early);
  EXPECT_EQ(run(*training).front().step, 4);
}

TEST_F(TrainerTest, RefusesToWaitForALossThatNeverComes) {
  TrainOptions options = small_training();
  options.patience = 3;
  expect_contains(test::message_of<WrongUse>([&] { trainer(small_model(), options, nothing()); }),
                  "patience is 3, but there is no validation text to wait for: give --val or --val-fraction");
}

TEST_F(TrainerTest, FinishesTheStepWhenAskedToStop) {
  const auto training = trainer(small_model(), small_training(), val());
  int asked = 0;
  const auto reports = run(*training, [&] { return ++asked == 3; });
  EXPECT_EQ(reports.size(), 3u);
  EXPECT_TRUE(reports.back().ends);
  EXPECT_FALSE(reports.back().evaluated);
  EXPECT_EQ(training->state().step, 3);
  EXPECT_FALSE(training->state().stopped_early);
}

TEST_F(TrainerTest, DoesNothingWhenAllStepsAreDone) {
  TrainingState state;
  state.step = 12;
  const auto training = trainer(small_model(), small_training(), val());
  training->start_from(state);
  EXPECT_TRUE(run(*training).empty());
}

TEST_F(TrainerTest, CountsTimeOfObserversButNotInTheSpeed) {
  struct Slow : Observer {
    void on_step(const StepReport&) override { std::this_thread::sleep_for(std::chrono::milliseconds(500)); }
  };
  TrainOptions options = small_training();
  options.steps = 2;
  const auto training = trainer(small_model(), options, nothing());
  training->add_observer(std::make_shared<Slow>());
  const auto reports = run(*training);
  EXPECT_GT(reports[1].tokens_per_s, 4 * 8 / 0.5);
  EXPECT_GT(reports[1].state.elapsed_s, 0.5);
}

}  // namespace
}  // namespace tinylm
