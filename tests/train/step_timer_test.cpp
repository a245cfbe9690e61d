#include "train/step_timer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "core/errors.h"
#include "train_test_support.h"

namespace tinylm {
namespace {

/// TMPDIR while it lives.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::filesystem::path& folder) {
    if (const char* before = std::getenv("TMPDIR")) before_ = before;
    setenv("TMPDIR", folder.c_str(), 1);
  }
  ~TemporaryFolder() {
    if (before_.empty()) {
      unsetenv("TMPDIR");
    } else {
      setenv("TMPDIR", before_.c_str(), 1);
    }
  }

 private:
  std::string before_;
};

TEST(StepTimer, MeasuresRealSteps) {
  const std::filesystem::path folder = test::fresh_folder();
  const TemporaryFolder temporary(folder);
  TrainOptions options = small_training();
  options.patience = 3;  // has no meaning here
  const double seconds = measure_step_s(small_model(), options, Ops::kAuto, 0.05);
  EXPECT_GT(seconds, 1e-6);
  EXPECT_LT(seconds, 5.0);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST(StepTimer, ReckonsASlowStepFromSmallOnes) {
  const std::filesystem::path folder = test::fresh_folder();
  const TemporaryFolder temporary(folder);
  TrainOptions options = small_training();
  options.batch = 1'000'000;  // such a step would take minutes
  const auto begin = std::chrono::steady_clock::now();
  const double seconds = measure_step_s(small_model(), options, Ops::kAuto, 0.05);
  EXPECT_GT(seconds, 1.0);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 10.0);
}

TEST(StepTimer, NeedsAFolderForTemporaryFiles) {
  const TemporaryFolder temporary("/nowhere/at/all");
  expect_contains(test::message_of<FileError>([] { measure_step_s(small_model(), small_training(), Ops::kAuto, 0.0); }),
                  "set TMPDIR to one");
}

TEST(TimedTraining, TrainsAStepAtATime) {
  const std::filesystem::path folder = test::fresh_folder();
  const TemporaryFolder temporary(folder);
  LanguageModel model(small_model(), 3);
  const torch::Tensor before = model->output_weight().detach().clone();
  TimedTraining training(model, small_training());
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  EXPECT_GT(training.step_s(), 1e-6);
  const torch::Tensor after_one = model->output_weight().detach().clone();
  EXPECT_FALSE(torch::equal(after_one, before));
  EXPECT_GT(training.gradient_norm_s(), 0.0);
  EXPECT_TRUE(torch::equal(model->output_weight(), after_one)) << "the norm changes nothing";
  for (int i = 0; i < 20; ++i) training.step_s();  // more than options.steps
  EXPECT_FALSE(torch::equal(model->output_weight(), after_one));
}

}  // namespace
}  // namespace tinylm
