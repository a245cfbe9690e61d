#include "train/metrics_observer.h"
#include "train/metrics_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/files.h"
#include "file_size_limit.h"
#include "train_test_support.h"

namespace tinylm {
namespace {

class Metrics : public ::testing::Test {
 protected:
  void SetUp() override { file_ = test::fresh_folder() / "metrics.jsonl"; }
  void TearDown() override { std::filesystem::remove_all(file_.parent_path()); }
  std::filesystem::path file_;
};

StepReport report_of(std::int64_t step) {
  StepReport report;
  report.step = report.state.step = step;
  report.state.tokens_seen = 768 * step;
  report.state.elapsed_s = 0.5 * static_cast<double>(step);
  report.train_loss_nats = 0.1 + 0.2;
  report.learning_rate = 1e-3;
  report.gradient_norm = 1.5;
  report.tokens_per_s = 20000.0;
  return report;
}

std::string line_of(std::int64_t step) {
  return "{\"step\":" + std::to_string(step) + ",\"train_loss_nats\":2.5}\n";
}

TEST_F(Metrics, AreOneJsonObjectALine) {
  MetricsObserver observer(file_, 0);
  observer.on_step(report_of(1));
  StepReport evaluated = report_of(2);
  evaluated.evaluated = true;
  evaluated.val_loss_nats = 1.75;
  observer.on_step(evaluated);
  // Numbers in the shortest form that reads back to the same value; read while the observer is still open.
  EXPECT_EQ(read_file(file_),
            "{\"step\":1,\"tokens_seen\":768,\"elapsed_s\":0.5,\"train_loss_nats\":0.30000000000000004,"
            "\"learning_rate\":0.001,\"gradient_norm\":1.5,\"tokens_per_s\":20000.0}\n"
            "{\"step\":2,\"tokens_seen\":1536,\"elapsed_s\":1.0,\"train_loss_nats\":0.30000000000000004,"
            "\"val_loss_nats\":1.75,\"learning_rate\":0.001,\"gradient_norm\":1.5,\"tokens_per_s\":20000.0}\n");
}

TEST_F(Metrics, WriteNullForAValidationThatDoesNotExist) {
  StepReport report = report_of(1);
  report.evaluated = true;
  MetricsObserver(file_, 0).on_step(report);
  EXPECT_TRUE(nlohmann::json::parse(read_file(file_))["val_loss_nats"].is_null());
}

TEST_F(Metrics, GoOnAfterTheCheckpointsStep) {
  write_atomically(file_, line_of(1) + line_of(2) + line_of(3) + line_of(4) + "{\"step\":5,\"tr");
  MetricsObserver observer(file_, 2);
  EXPECT_EQ(read_file(file_), line_of(1) + line_of(2));
  observer.on_step(report_of(3));
  EXPECT_EQ(read_file(file_).substr(0, (line_of(1) + line_of(2)).size() + 10),
            line_of(1) + line_of(2) + "{\"step\":3,");
}

TEST_F(Metrics, BeginAnewWithoutACheckpoint) {
  write_atomically(file_, line_of(1));
  const MetricsObserver observer(file_, 0);
  EXPECT_EQ(read_file(file_), "");
}

TEST_F(Metrics, DropLinesThatAreNone) {
  write_atomically(file_, line_of(1) + "nonsense\n[1]\n{\"step\":\"x\"}\n{}\n" + line_of(2));
  truncate_metrics(file_, 10);
  EXPECT_EQ(read_file(file_), line_of(1) + line_of(2));
}

TEST_F(Metrics, AreLeftAloneWhenNothingIsTooMuch) {
  write_atomically(file_, line_of(1) + line_of(2));
  const auto time = std::filesystem::last_write_time(file_);
  truncate_metrics(file_, 2);
  EXPECT_EQ(read_file(file_), line_of(1) + line_of(2));
  EXPECT_EQ(std::filesystem::last_write_time(file_), time);
  EXPECT_NO_THROW(truncate_metrics(file_.parent_path() / "missing.jsonl", 2));
}

TEST_F(Metrics, GiveTheTrainingLossOfAStep) {
  EXPECT_TRUE(std::isnan(training_loss_at(file_, 1)));
  MetricsObserver observer(file_, 0);
  for (std::int64_t step = 1; step <= 3; ++step) observer.on_step(report_of(step));
  EXPECT_EQ(training_loss_at(file_, 2), report_of(2).train_loss_nats);
  EXPECT_TRUE(std::isnan(training_loss_at(file_, 4)));
}

TEST_F(Metrics, SayWhyTheyCannotBeWritten) {
  expect_contains(test::message_of<FileError>([&] { MetricsObserver(file_ / "below", 0); }), "cannot open");
  MetricsObserver observer(file_, 0);
  const test::FileSizeLimit limit(16);
  expect_contains(test::message_of<FileError>([&] { observer.on_step(report_of(1)); }),
                  "cannot write " + file_.string());
}

}  // namespace
}  // namespace tinylm
