#include "train/metrics_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/files.h"
#include "test_support.h"

namespace tinylm {
namespace {

std::vector<Metrics> read_all(const std::filesystem::path& file) {
  std::vector<Metrics> all;
  for_each_metrics(file, [&](const Metrics& metrics) { all.push_back(metrics); });
  return all;
}

TEST(MetricsFile, GivesBackWhatALineSays) {
  StepReport report;
  report.step = report.state.step = 7;
  report.state.tokens_seen = 5376;
  report.state.elapsed_s = 1.25;
  report.train_loss_nats = 0.1 + 0.2;
  report.learning_rate = 1e-3;
  report.gradient_norm = 1.5;
  report.tokens_per_s = 20000.0;
  report.evaluated = true;
  report.val_loss_nats = 1.75;
  const auto file = test::fresh_folder() / "metrics.jsonl";
  write_atomically(file, metrics_line(report) + "\n");
  const std::vector<Metrics> all = read_all(file);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].step, 7);
  EXPECT_EQ(all[0].tokens_seen, 5376);
  EXPECT_EQ(all[0].elapsed_s, 1.25);
  EXPECT_EQ(all[0].train_loss_nats, 0.1 + 0.2);
  EXPECT_EQ(all[0].val_loss_nats, 1.75);
  EXPECT_EQ(all[0].learning_rate, 1e-3);
  EXPECT_EQ(all[0].gradient_norm, 1.5);
  EXPECT_EQ(all[0].tokens_per_s, 20000.0);
}

TEST(MetricsFile, PassesOverLinesThatAreNoneAndNumbersThatAreNot) {
  const auto file = test::fresh_folder() / "metrics.jsonl";
  write_atomically(file,
                   "{\"step\":1,\"train_loss_nats\":null,\"val_loss_nats\":\"x\"}\nnonsense\n[1]\n\n"
                   "{\"step\":2,\"more\":[1]}\n{\"step\":3,\"tra");
  const std::vector<Metrics> all = read_all(file);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(std::isnan(all[0].train_loss_nats));
  EXPECT_TRUE(std::isnan(all[0].val_loss_nats));
  EXPECT_EQ(all[1].step, 2);
}

TEST(MetricsFile, NeedNotExist) {
  EXPECT_TRUE(read_all(test::fresh_folder() / "none").empty());
}

}  // namespace
}  // namespace tinylm
