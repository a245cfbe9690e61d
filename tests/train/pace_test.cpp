#include "train/pace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "train/schedule.h"
#include "train_test_support.h"

namespace tinylm {
namespace {

// Ten evaluations before the last one, each of which leaves 0.03^(1/10) = 0.7042 of the time: 100 s less 11 evaluations
// are 890 steps, of which a quarter come before the first.
TEST(Pace, FitsStepsBesideEvaluations) {
  const Pace pace = next_pace({}, 0, {.whole_s = 100.0, .left_s = 100.0, .step_s = 0.1, .evaluation_s = 1.0});
  EXPECT_EQ(pace.last_step, 890);
  EXPECT_EQ(pace.next_evaluation, 223);
  const Pace second = next_pace(pace, 223, {.whole_s = 100.0, .left_s = 75.0, .step_s = 0.1, .evaluation_s = 1.0});
  EXPECT_EQ(second.last_step, 223 + 640);  // 0.7042^n 75 = 3: ten more, and the last
  EXPECT_EQ(second.next_evaluation, 223 + static_cast<std::int64_t>(std::ceil((1.0 - std::pow(0.03, 0.1)) * 640)));
}

TEST(Pace, EvaluatesLessOftenWhereItTakesLong) {
  const Pace pace = next_pace({}, 0, {.whole_s = 100.0, .left_s = 100.0, .step_s = 0.1, .evaluation_s = 5.0});
  EXPECT_EQ(pace.last_step, 800);  // 12.5 s would be two, but three come before the last
  EXPECT_EQ(pace.next_evaluation, 200);
}

TEST(Pace, EndsAtOnceWhenTheTimeIsOver) {
  const Pace pace = next_pace({0, 0.0, 100, 90}, 90, {.whole_s = 10.0, .left_s = -1.0, .step_s = 0.1});
  EXPECT_EQ(pace.last_step, 90);
}

TEST(Pace, ProgressGoesOnWhereItWasAndEndsAtOne) {
  const Pace first{.step = 10, .progress = 0.0, .last_step = 110};
  EXPECT_DOUBLE_EQ(progress_at(first, 60), 0.5);
  const Pace second = next_pace(first, 60, {.whole_s = 20.0, .left_s = 10.0, .step_s = 0.05, .evaluation_s = 0.01});
  EXPECT_DOUBLE_EQ(progress_at(second, 60), 0.5);
  EXPECT_DOUBLE_EQ(progress_at(second, second.last_step), 1.0);
  EXPECT_NEAR(progress_at(second, (60 + second.last_step) / 2), 0.75, 0.01);
}

/// A machine whose speed goes up and down by half for random times; gives how long a training of `whole_s` took.
class Simulation {
 public:
  Simulation(double whole_s, std::uint32_t seed) : whole_s_(whole_s), random_(seed) {}

  double run(double step_s, double evaluation_s) {
    PaceKeeper keeper(whole_s_, 0.0);
    Pace pace = next_pace({}, 0, {whole_s_, whole_s_, step_s, evaluation_s});
    for (std::int64_t step = 1; step <= pace.last_step; ++step) {
      keeper.add_step(pass(step_s));
      if (step != pace.next_evaluation && step != pace.last_step) continue;
      const double evaluation = pass(evaluation_s);
      ++evaluations;
      if (step < pace.last_step) pace = keeper.choose(pace, step, now_, evaluation);
    }
    return now_;
  }

  int evaluations = 0;

 private:
  double pass(double seconds) {
    if (now_ >= until_) {
      slow_ = !slow_;
      until_ = now_ + whole_s_ * std::uniform_real_distribution<double>(0.02, 0.3)(random_);
    }
    const double taken = seconds * (slow_ ? 1.5 : 1.0);
    now_ += taken;
    return taken;
  }

  double whole_s_, now_ = 0.0, until_ = 0.0;
  bool slow_ = false;
  std::mt19937 random_;
};

TEST(Pace, EndsWithinFivePercentOfTheTimeOnAMachineWhoseSpeedSwingsByHalf) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    for (const double evaluation_s : {0.01, 0.5, 2.0}) {
      Simulation simulation(100.0, seed);
      EXPECT_NEAR(simulation.run(0.02, evaluation_s), 100.0, 5.0) << seed << " " << evaluation_s;
      EXPECT_GE(simulation.evaluations, 4);
      EXPECT_LE(simulation.evaluations, 14);
    }
  }
}

class TrainingForMinutes : public TrainingTest {};

TEST_F(TrainingForMinutes, EndsAtAnEvaluationAndStoresItsPaces) {
  TrainOptions options = small_training();
  options.minutes = 1.0 / 60.0;
  options.warmup = 0;
  options.steps = 100;  // a guess that is far too low
  options.eval_every = 20;
  const auto training = trainer(small_model(), options, val());
  const auto recorder = std::make_shared<Recorder>();
  training->add_observer(recorder);
  const TrainingState& state = training->run();
  EXPECT_LT(state.elapsed_s, 20.0);  // one second, were nothing else to do for this machine
  ASSERT_GE(state.paces.size(), 2U);
  EXPECT_EQ(state.paces.back().last_step, state.step);
  EXPECT_TRUE(recorder->reports.back().evaluated);
  if (state.paces.back().step < state.step) {  // else the time was over at an evaluation already
    EXPECT_EQ(recorder->reports.back().learning_rate, options.min_learning_rate);
  }
}

TEST_F(TrainingForMinutes, GoesOnByTheStoredPace) {
  TrainOptions options = small_training();
  options.minutes = 1.0;
  options.warmup = 0;
  TrainingState state;
  state.elapsed_s = 59.9;
  state.paces = {{0, 0.0, 12, 4}, {4, 0.5, 6, 6}};
  const auto training = trainer(small_model(), options, val());
  state.step = 4;
  training->start_from(state);
  const auto recorder = std::make_shared<Recorder>();
  training->add_observer(recorder);
  training->run();
  ASSERT_EQ(recorder->reports.size(), 2U);
  EXPECT_EQ(recorder->reports[0].learning_rate, learning_rate_at(options, state.paces.back(), 5));
  EXPECT_EQ(recorder->reports[1].learning_rate, options.min_learning_rate);
}

}  // namespace
}  // namespace tinylm
