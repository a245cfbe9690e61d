#include "cli/progress_line.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace tinylm {
namespace {

Progress half_way() {
  Progress progress;
  progress.step = 500;
  progress.total_steps = 1000;
  progress.loss_nats = 1.23456;
  progress.val_loss_nats = 1.5;
  progress.best_val_loss_nats = 1.25;
  progress.learning_rate = 5.25e-4;
  progress.gradient_norm = 0.98765;
  progress.tokens_per_s = 21234.0;
  progress.left_s = 200.0;
  return progress;
}

constexpr const char* kAll =
    "step 500/1000  loss 1.235  val 1.500  best 1.250  rate 0.000525  norm 0.988  21,234 tokens/s  3 min 20 s left";

TEST(ProgressLine, SaysEverythingWhereThereIsNoLimit) {
  EXPECT_EQ(progress_line(half_way(), 0), kAll);
}

TEST(ProgressLine, HasABarInTheRoomThatIsLeft) {
  EXPECT_EQ(progress_line(half_way(), 130), std::string("[########.........]  ") + kAll);
  EXPECT_EQ(progress_line(half_way(), 400),
            std::string("[") + std::string(14, '#') + std::string(14, '.') + "]  " + kAll);
}

TEST(ProgressLine, TakesTwoLinesWhereOneIsTooShort) {
  Progress progress = half_way();
  progress.share_of_peak = 0.6249;
  EXPECT_EQ(progress_line(progress, 79),
            "[#######.......]  step 500/1000  21,234 tokens/s  62 % of peak  3 min 20 s left\n"
            "loss 1.235  val 1.500  best 1.250  rate 0.000525  norm 0.988");
}

TEST(ProgressLine, LeavesOutWhatMattersLeast) {
  EXPECT_EQ(progress_line(half_way(), 48),
            "step 500/1000  21,234 tokens/s  3 min 20 s left\nloss 1.235  val 1.500  best 1.250  norm 0.988");
  EXPECT_EQ(progress_line(half_way(), 31), "step 500/1000  3 min 20 s left\nloss 1.235  val 1.500");
  EXPECT_EQ(progress_line(half_way(), 20), "step 500/1000\nloss 1.235");
}

TEST(ProgressLine, NeverTakesMoreThanTheTerminalUnlessThatIsTooNarrowForTheStep) {
  for (std::size_t columns = 13; columns < 200; ++columns) {
    std::istringstream lines(progress_line(half_way(), columns));
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(line.size(), columns);
    EXPECT_LE(count, 2);
  }
  EXPECT_EQ(progress_line(half_way(), 5), "step 500/1000\nloss 1.235");
}

TEST(ProgressLine, LeavesOutLossesThatWereNotMeasured) {
  Progress progress = half_way();
  progress.val_loss_nats = progress.best_val_loss_nats = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(progress_line(progress, 0),
            "step 500/1000  loss 1.235  rate 0.000525  norm 0.988  21,234 tokens/s  3 min 20 s left");
}

TEST(ProgressLine, SaysHowMuchOfTheMachineIsUsedWhereThatIsKnownAndHasRoom) {
  Progress progress = half_way();
  progress.share_of_peak = 0.6249;
  EXPECT_EQ(progress_line(progress, 0),
            "step 500/1000  loss 1.235  val 1.500  best 1.250  rate 0.000525  norm 0.988  21,234 tokens/s  62 % of "
            "peak  3 min 20 s left");
  EXPECT_EQ(progress_line(progress, 50).substr(0, 47), "step 500/1000  21,234 tokens/s  3 min 20 s left");
}

TEST(ProgressLine, FillsTheBarAtTheEnd) {
  Progress progress = half_way();
  progress.step = 1000;
  EXPECT_EQ(progress_line(progress, 400).rfind("[" + std::string(28, '#') + "]", 0), 0u);
}

}  // namespace
}  // namespace tinylm
