#include "run/checkpoint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "core/errors.h"
#include "core/files.h"
#include "file_size_limit.h"
#include "test_support.h"

namespace tinylm {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kFingerprint = 0x1234;

class CheckpointStoreTest : public ::testing::Test {
 protected:
  void SetUp() override { folder_ = test::fresh_folder() / "checkpoints"; }
  void TearDown() override { fs::remove_all(folder_.parent_path()); }

  /// Saves step `step`, whose one weight is the step itself; `best_step` is what the state says.
  void save(std::int64_t step, std::int64_t best_step, std::int64_t keep = 0, std::int64_t elements = 1) {
    TrainingState state;
    state.step = step;
    state.best_step = best_step;
    state.best_val_loss_nats = 1.5;
    CheckpointStore(folder_).save({{"w", torch::full({elements}, static_cast<double>(step), torch::kFloat32)}},
                                  {{"m", torch::full({elements}, -static_cast<double>(step), torch::kFloat32)}}, state,
                                  kFingerprint, best_step == step, keep);
  }
  float weight(const std::string& name) const {
    const Checkpoint checkpoint = CheckpointStore(folder_).open(name, true);
    return SafetensorsFile(checkpoint.model_file()).tensor("w").item<float>();
  }
  std::string refusal(const std::string& name, bool with_optimizer = true) const {
    return test::message_of<FileError>([&] { CheckpointStore(folder_).open(name, with_optimizer); });
  }
  void damage(const fs::path& file) const {
    std::string bytes = read_file(file);
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    std::ofstream(file, std::ios::binary) << bytes;
  }
  std::vector<std::int64_t> steps() const { return CheckpointStore(folder_).steps(); }

  fs::path folder_;
};

using Steps = std::vector<std::int64_t>;

TEST_F(CheckpointStoreTest, GivesBackWhatWasSaved) {
  save(10, 10);
  const Checkpoint checkpoint = CheckpointStore(folder_).open("last", true);
  EXPECT_EQ(checkpoint.folder, folder_ / "step-10");
  EXPECT_EQ(checkpoint.state.step, 10);
  EXPECT_EQ(checkpoint.state.best_val_loss_nats, 1.5);
  EXPECT_EQ(checkpoint.tokenizer_fingerprint, kFingerprint);
  EXPECT_EQ(SafetensorsFile(checkpoint.model_file()).tensor("w").item<float>(), 10.0F);
  EXPECT_EQ(SafetensorsFile(checkpoint.optimizer_file()).tensor("m").item<float>(), -10.0F);
}

TEST_F(CheckpointStoreTest, LeavesNothingTemporary) {
  save(10, 10);
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    EXPECT_EQ(entry.path().string().find(".tmp"), std::string::npos) << entry.path();
  }
}

TEST_F(CheckpointStoreTest, MovesLastAlwaysAndBestWhenBetter) {
  save(10, 10);
  save(20, 10);
  EXPECT_EQ(weight("last"), 20.0F);
  EXPECT_EQ(weight("best"), 10.0F);
  EXPECT_EQ(weight("step-20"), 20.0F);
  EXPECT_EQ(fs::read_symlink(folder_ / "last"), "step-20");  // relative, so that a run can be moved
  save(30, 30);
  EXPECT_EQ(weight("best"), 30.0F);
}

TEST_F(CheckpointStoreTest, TakesLastForBestBeforeAnyEvaluation) {
  save(10, 0);
  EXPECT_EQ(weight("best"), 10.0F);
}

TEST_F(CheckpointStoreTest, KeepsTheNewestAndTheBest) {
  for (const std::int64_t step : {10, 20, 30, 40, 100}) save(step, 10, 2);
  EXPECT_EQ(steps(), (Steps{10, 40, 100}));
  save(110, 110, 2);
  EXPECT_EQ(steps(), (Steps{40, 100, 110}));  // 10 is no longer the best; 110 is, and counts besides
  save(120, 110, 1);
  EXPECT_EQ(steps(), (Steps{110, 120}));
}

TEST_F(CheckpointStoreTest, NeverRemovesLast) {
  save(10, 0, 1);
  save(20, 0, 1);
  save(5, 0, 1);  // went back: last is the oldest
  EXPECT_EQ(weight("last"), 5.0F);
}

TEST_F(CheckpointStoreTest, KeepsAllWhenAskedTo) {
  for (std::int64_t step = 1; step <= 5; ++step) save(step, 1, 0);
  EXPECT_EQ(steps(), (Steps{1, 2, 3, 4, 5}));
}

TEST_F(CheckpointStoreTest, NamesTheCheckpointsThereAre) {
  EXPECT_TRUE(CheckpointStore(folder_).empty());
  expect_contains(refusal("last"), folder_.parent_path().string() +
                                       " has saved no checkpoint yet; go on with it (tinylm train --resume");
  save(10, 10);
  save(20, 20);
  EXPECT_FALSE(CheckpointStore(folder_).empty());
  expect_contains(refusal("step-30"),
                  "there is no checkpoint step-30 in " + folder_.string() + "; there are: step-10 step-20");
  expect_contains(refusal("../checkpoints"), "there is no checkpoint");
  expect_contains(refusal("step-1x"), "there is no checkpoint");
}

TEST_F(CheckpointStoreTest, FindsDamage) {
  save(10, 10);
  damage(folder_ / "step-10" / "optimizer.safetensors");
  expect_contains(refusal("last"), (folder_ / "step-10" / "optimizer.safetensors").string() + " is damaged");
  EXPECT_NO_THROW(CheckpointStore(folder_).open("last", false));
  damage(folder_ / "step-10" / "model.safetensors");
  expect_contains(refusal("last", false), (folder_ / "step-10" / "model.safetensors").string() + " is damaged");
}

TEST_F(CheckpointStoreTest, GoesBackToTheNewestThatIsWhole) {
  for (const std::int64_t step : {10, 20, 30}) save(step, 10);
  damage(folder_ / "step-30" / "model.safetensors");
  EXPECT_EQ(CheckpointStore(folder_).open_newest_whole().state.step, 20);
  fs::remove(folder_ / "step-20" / "optimizer.safetensors");
  EXPECT_EQ(CheckpointStore(folder_).open_newest_whole().state.step, 10);
  damage(folder_ / "step-10" / "optimizer.safetensors");
  expect_contains(test::message_of<FileError>([&] { CheckpointStore(folder_).open_newest_whole(); }),
                  (folder_ / "step-30" / "model.safetensors").string() + " is damaged");
}

TEST_F(CheckpointStoreTest, LeavesDamagedOnesAsideWhenItGoesBack) {
  save(10, 10);
  save(20, 20);
  damage(folder_ / "step-20" / "state.json");
  CheckpointStore store(folder_);
  store.go_back_to(store.open_newest_whole());
  EXPECT_EQ(weight("last"), 10.0F);
  EXPECT_EQ(weight("best"), 10.0F);
  EXPECT_TRUE(fs::exists(folder_ / "step-20.damaged"));
  EXPECT_NO_THROW(CheckpointStore(folder_, /*clean=*/true));
  EXPECT_TRUE(fs::exists(folder_ / "step-20.damaged")) << "nobody knows yet what it still holds";
}

TEST_F(CheckpointStoreTest, LeavesAsideWhatIsDamagedASecondTime) {
  for (int times = 0; times < 3; ++times) {
    save(10, 10);
    save(20, 20);
    damage(folder_ / "step-20" / "state.json");
    CheckpointStore store(folder_);
    store.go_back_to(store.open_newest_whole());
  }
  for (const char* name : {"step-20.damaged", "step-20.damaged-2", "step-20.damaged-3"})
    EXPECT_TRUE(fs::exists(folder_ / name)) << name;
  EXPECT_EQ(steps(), (Steps{10}));
}

TEST_F(CheckpointStoreTest, MakesTheLinkToTheBestAnew) {
  save(10, 10);
  save(20, 10);
  fs::remove(folder_ / "best");
  CheckpointStore(folder_, /*clean=*/true);
  EXPECT_EQ(fs::read_symlink(folder_ / "best"), "step-10");
}

TEST_F(CheckpointStoreTest, DoesWithoutTheLinks) {
  save(10, 10);
  save(20, 10);
  fs::remove(folder_ / "last");
  fs::remove(folder_ / "best");
  EXPECT_EQ(weight("last"), 20.0F);
  EXPECT_EQ(weight("best"), 10.0F);
  for (const char* name : {"last", "best"}) {  // as a copy without links has them
    fs::copy(folder_ / "step-10", folder_ / name, fs::copy_options::recursive);
  }
  EXPECT_EQ(weight("last"), 20.0F);
  EXPECT_EQ(weight("best"), 10.0F);
}

TEST_F(CheckpointStoreTest, FindsADamagedState) {
  save(10, 10);
  std::ofstream(folder_ / "step-10" / "state.json") << "{\"step\": 1";
  expect_contains(refusal("last", false), (folder_ / "step-10" / "state.json").string() + " is damaged");
}

TEST_F(CheckpointStoreTest, NamesAMissingModelFile) {
  save(10, 10);
  fs::remove(folder_ / "step-10" / "model.safetensors");
  expect_contains(refusal("last", false), (folder_ / "step-10" / "model.safetensors").string() + " is missing, so");
}

TEST_F(CheckpointStoreTest, RefusesToResumeFromWeightsAlone) {
  save(10, 10);
  fs::remove(folder_ / "step-10" / "optimizer.safetensors");
  const std::string message = refusal("last");
  expect_contains(message, "cannot be resumed: it holds weights alone, without optimizer.safetensors");
  expect_contains(message, "--init-from");
  EXPECT_NO_THROW(CheckpointStore(folder_).open("last", false));
  fs::remove(folder_ / "step-10" / "state.json");
  expect_contains(refusal("last"), "without state.json");
}

TEST_F(CheckpointStoreTest, SurvivesAKillWhileWriting) {
  save(10, 10);
  fs::create_directories(folder_ / "step-20.tmp");
  std::ofstream(folder_ / "step-20.tmp" / "model.safetensors") << "half";
  EXPECT_EQ(weight("last"), 10.0F);
  EXPECT_EQ(steps(), Steps{10});
  const CheckpointStore cleaning(folder_, true);
  EXPECT_FALSE(fs::exists(folder_ / "step-20.tmp"));
  save(20, 10);
  EXPECT_EQ(weight("last"), 20.0F);
}

TEST_F(CheckpointStoreTest, SurvivesAKillBeforeTheLinksMove) {
  save(10, 10);
  save(20, 20);
  replace_link(folder_ / "last", "step-10");
  replace_link(folder_ / "best", "step-10");
  const CheckpointStore cleaning(folder_, true);
  EXPECT_EQ(weight("last"), 10.0F);
  EXPECT_EQ(weight("best"), 10.0F);
  save(20, 20);  // the resumed run comes here again
  EXPECT_EQ(weight("last"), 20.0F);
  EXPECT_EQ(weight("best"), 20.0F);
}

TEST_F(CheckpointStoreTest, SurvivesAKillBetweenTheLinks) {
  save(10, 10);
  save(20, 20);
  replace_link(folder_ / "best", "step-10");
  const CheckpointStore cleaning(folder_, true);
  EXPECT_EQ(weight("best"), 20.0F);
}

TEST_F(CheckpointStoreTest, SurvivesAKillWhileAStepIsReplaced) {
  save(10, 10);
  fs::rename(folder_ / "step-10", folder_ / "step-10.replaced");
  fs::create_directories(folder_ / "step-10.tmp");
  const CheckpointStore cleaning(folder_, true);
  EXPECT_EQ(weight("last"), 10.0F);
  fs::create_directories(folder_ / "step-10.replaced");  // killed after the new one was in place
  const CheckpointStore again(folder_, true);
  EXPECT_FALSE(fs::exists(folder_ / "step-10.replaced"));
  EXPECT_EQ(weight("last"), 10.0F);
}

TEST_F(CheckpointStoreTest, SurvivesAKillWhilePruning) {
  save(10, 0);
  fs::rename(folder_ / "step-10", folder_ / "step-10.tmp");
  save(20, 0);
  const CheckpointStore cleaning(folder_, true);
  EXPECT_EQ(steps(), Steps{20});
  EXPECT_FALSE(fs::exists(folder_ / "step-10.tmp"));
}

TEST_F(CheckpointStoreTest, ReplacesAnEarlierSaveOfTheSameStep) {
  save(10, 0);
  save(10, 0, 0, 3);
  const Checkpoint checkpoint = CheckpointStore(folder_).open("last", true);
  EXPECT_EQ(SafetensorsFile(checkpoint.model_file()).tensor("w").numel(), 3);
  EXPECT_EQ(steps(), Steps{10});
}

TEST_F(CheckpointStoreTest, LeavesThePreviousOneWhenTheDiskIsFull) {
  save(10, 10);
  {
    const test::FileSizeLimit limit(4096);
    const std::string message = test::message_of<FileError>([&] { save(20, 20, 1, 100000); });
    expect_contains(message, "cannot write");
    expect_contains(message, "model.safetensors");
  }
  EXPECT_EQ(weight("last"), 10.0F);
  EXPECT_EQ(weight("best"), 10.0F);
  EXPECT_FALSE(fs::exists(folder_ / "step-20.tmp"));  // its room is given back
}

TEST_F(CheckpointStoreTest, SaysWhereItCannotSave) {
  std::ofstream(folder_) << "a file where the folder should be";
  expect_contains(test::message_of<FileError>([&] { save(10, 10); }), "cannot save checkpoint " + folder_.string());
}

}  // namespace
}  // namespace tinylm
