#include "inspect/head_tracker.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "core/errors.h"
#include "core/files.h"
#include "inspect/random_models.h"
#include "inspect/random_repeats.h"
#include "inspect/tracked_heads.h"
#include "test_support.h"
#include "testing/tensors.h"

namespace tinylm {
namespace {

class HeadTracking : public ::testing::Test {
 protected:
  /// A tracker of a run that is at `step`, told of evaluations after `steps`.
  void track(std::int64_t step, const std::vector<std::int64_t>& steps) {
    HeadTracker tracker(file_, step, loaded_.model, *loaded_.tokenizer);
    for (const std::int64_t one : steps) {
      StepReport report;
      report.state.step = one;
      tracker.on_step(report);
      report.evaluated = true;
      tracker.on_step(report);
    }
  }

  std::filesystem::path file_ = test::fresh_folder() / "heads.jsonl";
  LoadedModel loaded_ = test::loaded_random(testing::small_config("rope"));
};

TEST_F(HeadTracking, TakesTheScoresOnRandomRepeatsAtEachEvaluation) {
  track(0, {10, 20});
  const TrackedHeads heads = read_tracked_heads(file_);
  EXPECT_EQ(heads.steps, (std::vector<std::int64_t>{10, 20}));
  const RandomRepeats repeats = random_repeats(loaded_.model, *loaded_.tokenizer, {.texts = 4});
  EXPECT_TRUE(testing::tensors_close(heads.scores.at("induction_random")[1].to(torch::kFloat64),
                                     repeats.induction.values,
                                     6e-5));  // four decimals
  EXPECT_TRUE(
      testing::tensors_close(heads.scores.at("previous")[0].to(torch::kFloat64), repeats.previous.values, 6e-5));
}

TEST_F(HeadTracking, ForgetsWhatARunThatWasStoppedHadAfterItsCheckpoint) {
  track(0, {10, 20, 30});
  track(20, {25});
  EXPECT_EQ(read_tracked_heads(file_).steps, (std::vector<std::int64_t>{10, 20, 25}));
}

TEST_F(HeadTracking, SaysThatTheFileIsDamaged) {
  track(0, {10});
  const std::string line = read_file(file_);
  write_atomically(file_, line + R"({"step":20,"previous":[[0.1]]})" + "\n");
  const std::string lacking = test::message_of<FileError>([&] { read_tracked_heads(file_); });
  EXPECT_NE(lacking.find("a line has no scores of heads; remove it"), std::string::npos) << lacking;
  write_atomically(
      file_, line + R"({"step":20,"previous":[[0.1]],"duplicate_random":[[0.1]],"induction_random":[[0.1]]})" + "\n");
  const std::string uneven = test::message_of<FileError>([&] { read_tracked_heads(file_); });
  EXPECT_NE(uneven.find("different numbers of heads"), std::string::npos) << uneven;
}

}  // namespace
}  // namespace tinylm
