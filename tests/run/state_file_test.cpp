#include "run/state_file.h"

#include <gtest/gtest.h>

#include <cmath>

#include <nlohmann/json.hpp>

#include "core/checksum.h"
#include "core/errors.h"
#include "core/files.h"
#include "test_support.h"

namespace tinylm {
namespace {

class StateFileTest : public ::testing::Test {
 protected:
  void SetUp() override { path_ = test::fresh_folder() / "state.json"; }
  void TearDown() override { std::filesystem::remove_all(path_.parent_path()); }

  std::string refusal(const std::string& content) {
    write_atomically(path_, content);
    return test::message_of<FileError>([&] { read_state_file(path_); });
  }
  std::filesystem::path path_;
};

StateFile example() {
  StateFile content;
  content.state = {.step = 30,
                   .tokens_seen = 23040,
                   .elapsed_s = 1.0 / 3.0,
                   .best_val_loss_nats = 0.1 + 0.2,
                   .best_step = 20,
                   .last_val_loss_nats = 2.5,
                   .evaluations_without_gain = 1,
                   .stopped_early = true,
                   .skipped_steps = 5,
                   .skipped_in_a_row = 2,
                   .paces = {{1, 0.1, 20, 5}, {5, 1.0 / 3.0, 40, 30}}};
  content.tokenizer_fingerprint = 0xfedcba9876543210;
  content.checksums = {{"model.safetensors", 1}, {"optimizer.safetensors", 0xffffffffffffffff}};
  return content;
}

TEST_F(StateFileTest, ReadsBackEveryFieldExactly) {
  write_state_file(path_, example());
  const StateFile read = read_state_file(path_);
  EXPECT_EQ(read.state.step, 30);
  EXPECT_EQ(read.state.tokens_seen, 23040);
  EXPECT_EQ(read.state.elapsed_s, 1.0 / 3.0);
  EXPECT_EQ(read.state.best_val_loss_nats, 0.1 + 0.2);
  EXPECT_EQ(read.state.best_step, 20);
  EXPECT_EQ(read.state.last_val_loss_nats, 2.5);
  EXPECT_EQ(read.state.evaluations_without_gain, 1);
  EXPECT_TRUE(read.state.stopped_early);
  EXPECT_EQ(read.state.skipped_steps, 5);
  EXPECT_EQ(read.state.skipped_in_a_row, 2);
  ASSERT_EQ(read.state.paces.size(), 2U);
  EXPECT_EQ(read.state.paces[1].step, 5);
  EXPECT_EQ(read.state.paces[1].progress, 1.0 / 3.0);
  EXPECT_EQ(read.state.paces[1].last_step, 40);
  EXPECT_EQ(read.state.paces[1].next_evaluation, 30);
  EXPECT_EQ(read.tokenizer_fingerprint, 0xfedcba9876543210);
  EXPECT_EQ(read.checksums, example().checksums);
}

TEST_F(StateFileTest, WritesALossThatDoesNotExistAsNull) {
  write_state_file(path_, StateFile{});
  const auto json = nlohmann::json::parse(read_file(path_));
  EXPECT_TRUE(json["best_val_loss_nats"].is_null());
  EXPECT_TRUE(json["last_val_loss_nats"].is_null());
}

TEST_F(StateFileTest, ReadsNullAsNoLoss) {
  StateFile content = example();
  content.state.best_val_loss_nats = std::numeric_limits<double>::quiet_NaN();
  write_state_file(path_, content);
  EXPECT_TRUE(std::isnan(read_state_file(path_).state.best_val_loss_nats));
}

TEST_F(StateFileTest, RefusesWhatIsNoJsonObject) {
  EXPECT_EQ(refusal("{\"step\": 3"), path_.string() + " is damaged: it is not a JSON object");
  EXPECT_EQ(refusal("[]"), path_.string() + " is damaged: it is not a JSON object");
}

TEST_F(StateFileTest, RefusesAChangedValue) {
  write_state_file(path_, example());
  std::string content = read_file(path_);
  content.replace(content.find("23040"), 5, "23041");
  EXPECT_EQ(refusal(content), path_.string() + " is damaged: its content does not match its checksum");
}

TEST_F(StateFileTest, RefusesAMissingChecksum) {
  EXPECT_EQ(refusal("{\"step\": 3}"), path_.string() + " is damaged: its content does not match its checksum");
  EXPECT_EQ(refusal("{\"checksum\": 3}"), path_.string() + " is damaged: its content does not match its checksum");
}

TEST_F(StateFileTest, RefusesAMissingKey) {
  nlohmann::ordered_json json = {{"step", 3}};
  json["checksum"] = to_hex(checksum_of(json.dump()));
  const std::string message = refusal(json.dump());
  EXPECT_NE(message.find(path_.string() + " is damaged: "), std::string::npos);
  EXPECT_NE(message.find("tokens_seen"), std::string::npos);
}

}  // namespace
}  // namespace tinylm
