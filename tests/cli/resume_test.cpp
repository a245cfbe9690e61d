// A training that stops and goes on.
#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/train_program.h"
#include "model/ops/matmul.h"
#include "run/run_lock.h"

namespace tinylm {
namespace {

using testing::contains;
using testing::json_lines;
using testing::Outcome;
using testing::run_program;
using testing::small;
namespace fs = std::filesystem;

using ResumedTraining = testing::TrainProgram;

/// A training that is stopped and goes on gives the same losses as one that is not. Its schedule is constant, so that a
/// run of fewer steps begins like one of more.
void expect_no_trace_of_a_stop(const std::string& folder, const std::string& precision) {
  const auto train = [&](const std::string& out, const std::string& steps) {
    return small({"train", "text.txt", "--schedule", "constant", "--dropout", "0.1", "--accumulate", "2",
                  "--eval-every", "50", "--precision", precision, "--out", out, "--steps", steps});
  };
  const Outcome stopped = testing::run_and_signal(folder, train("stopped", "1000000"), 3.0, SIGINT);
  ASSERT_EQ(stopped.exit_code, 130) << stopped.err;
  EXPECT_TRUE(contains(stopped.err, "tinylm train --resume stopped")) << stopped.err;
  EXPECT_TRUE(contains(stopped.err, "; precision " + precision + ";")) << stopped.err;
  const std::size_t done = json_lines(read_file(fs::path(folder) / "stopped/metrics.jsonl")).size();
  ASSERT_GE(done, 1u);

  const std::string steps = std::to_string(done + 5);
  const Outcome resumed = run_program(folder, {"train", "--resume", "stopped", "--steps", steps});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_TRUE(contains(resumed.err, "; precision " + precision + ";")) << resumed.err;
  ASSERT_EQ(run_program(folder, train("whole", steps)).exit_code, 0);
  const auto parts = json_lines(read_file(fs::path(folder) / "stopped/metrics.jsonl"));
  const auto whole = json_lines(read_file(fs::path(folder) / "whole/metrics.jsonl"));
  ASSERT_EQ(parts.size(), done + 5);
  ASSERT_EQ(whole.size(), done + 5);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    ASSERT_EQ(parts[i]["train_loss_nats"], whole[i]["train_loss_nats"]) << "step " << i + 1;
    ASSERT_EQ(parts[i]["gradient_norm"], whole[i]["gradient_norm"]) << "step " << i + 1;
  }
}

TEST_F(ResumedTraining, GoesOnAfterAStopAsIfItHadNotStopped) {
  expect_no_trace_of_a_stop(folder_, "fp32");
}

TEST_F(ResumedTraining, GoesOnInBfloat16AsIfItHadNotStopped) {
  if (ops::has_bf16_matmul()) return expect_no_trace_of_a_stop(folder_, "bf16");
  const Outcome refused = run_program(folder_, small({"train", "text.txt", "--precision", "bf16", "--out", "run"}));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(contains(refused.err, "this processor has no bfloat16 products")) << refused.err;
}

TEST_F(ResumedTraining, RefusesToChangeWhatAResumedRunIs) {
  ASSERT_EQ(run_program(folder_, small({"train", "text.txt", "--steps", "2", "--out", "run"})).exit_code, 0);
  const Outcome changed = run_program(folder_, {"train", "--resume", "run", "--width", "32"});
  EXPECT_EQ(changed.exit_code, 2);
  EXPECT_TRUE(contains(changed.err, "a resumed run keeps its --width")) << changed.err;
  const Outcome text = run_program(folder_, {"train", "text.txt", "--resume", "run"});
  EXPECT_EQ(text.exit_code, 2);
  EXPECT_TRUE(contains(text.err, "leave out text.txt")) << text.err;
  const Outcome again = run_program(folder_, small({"train", "text.txt", "--steps", "2", "--out", "run"}));
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_TRUE(contains(again.err, "--resume run")) << again.err;
  const Outcome done = run_program(folder_, {"train", "--resume", "run"});
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_TRUE(contains(done.err, "run is at step 2, and 2 were asked for: nothing is left to do")) << done.err;
}

TEST_F(ResumedTraining, SaysThatTheTextIsAnotherAndGoesOnWithTheOneItHas) {
  const fs::path text = fs::path(folder_) / "mine.txt";
  write_atomically(text, read_file(fs::path(folder_) / "text.txt"));
  ASSERT_EQ(run_program(folder_, small({"train", "mine.txt", "--steps", "2", "--out", "run"})).exit_code, 0);
  write_atomically(text, "quite another text");
  const Outcome resumed = run_program(folder_, {"train", "--resume", "run", "--steps", "4"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_TRUE(contains(resumed.err, "mine.txt was changed since the run began, which goes on with the text as it was"))
      << resumed.err;
  EXPECT_TRUE(contains(resumed.err, "--init-from run")) << resumed.err;
}

TEST_F(ResumedTraining, RemembersHowLongItWasToldToGoOn) {
  ASSERT_EQ(run_program(folder_, small({"train", "text.txt", "--steps", "2", "--out", "run/"})).exit_code, 0);
  const Outcome stopped =
      testing::run_and_signal(folder_, {"train", "--resume", "run", "--steps", "1000000"}, 2.0, SIGHUP);
  ASSERT_EQ(stopped.exit_code, 129) << stopped.err;
  EXPECT_TRUE(contains(stopped.err, "go on with: tinylm train --resume run\n")) << stopped.err;
  EXPECT_TRUE(contains(run_program(folder_, {"info", "run"}).out, "steps = 1000000")) << "config.toml says what holds";
  const Outcome fewer = run_program(folder_, {"train", "--resume", "run", "--steps", "1"});
  EXPECT_TRUE(contains(fewer.err, "and 1 were asked for")) << fewer.err;
  EXPECT_TRUE(contains(run_program(folder_, {"info", "run"}).out, "steps = 1000000"));
}

TEST_F(ResumedTraining, IsOneProcessARun) {
  ASSERT_EQ(run_program(folder_, small({"train", "text.txt", "--steps", "2", "--out", "run"})).exit_code, 0);
  const RunLock other(fs::path(folder_) / "run");
  const Outcome second = run_program(folder_, {"train", "--resume", "run", "--steps", "4"});
  EXPECT_EQ(second.exit_code, 4);
  EXPECT_TRUE(contains(second.err, "run is being trained by another process")) << second.err;
}

}  // namespace
}  // namespace tinylm
